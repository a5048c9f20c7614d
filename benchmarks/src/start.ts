import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installIn, packInto } from '../../tools/pack.ts'
import { run } from '../../tools/run.ts'
import { elapsed, median, type Row, sum } from './report.ts'
import { withFolder } from './scratch.ts'

const processes = 21
const wanted = ['@quittance/core', '@quittance/store-sql', '@quittance/store-sqlite']

/** Core and the SQLite store as users install them: how long `import` of core takes, and how large all of it is. */
export function start(): Promise<Row[]> {
  return withFolder(async (folder) => {
    installIn(
      folder,
      packInto(folder, (name) => wanted.includes(name)),
    )
    return [...(await imports(folder)), ...sizes(folder)]
  })
}

async function imports(folder: string): Promise<Row[]> {
  writeFileSync(join(folder, 'empty.js'), '')
  writeFileSync(join(folder, 'core.js'), "import '@quittance/core'")
  const took = (file: string) => elapsed(() => run(process.execPath, [file], { cwd: folder }))
  const empty_ms: number[] = []
  const core_ms: number[] = []
  for (let round = 0; round < processes; round += 1) {
    empty_ms.push(await took('empty.js'))
    core_ms.push(await took('core.js'))
  }
  const more_ms = median(core_ms) - median(empty_ms)
  return [
    { what: 'a process that does nothing', figure: `${median(empty_ms).toFixed(0)} ms` },
    {
      what: '`import` of core, above that',
      figure: `${more_ms.toFixed(0)} ms`,
      goal: { measured: more_ms, at_most: 60, unit: ' ms' },
    },
  ]
}

/** Bytes of files, without the overhead of the file system; the largest packages first. */
function sizes(folder: string): Row[] {
  const modules = join(folder, 'node_modules')
  const bytes: Record<string, number> = {}
  for (const path of readdirSync(modules, { recursive: true, encoding: 'utf8' })) {
    const found = statSync(join(modules, path))
    const name = path.split('/')[0] ?? ''
    if (found.isFile()) bytes[name] = (bytes[name] ?? 0) + found.size
  }
  const all = sum(Object.values(bytes))
  const largest = Object.entries(bytes).sort(([, a], [, b]) => b - a)
  return [
    {
      what: 'core and the SQLite store installed, with all they need',
      figure: megabytes(all),
      goal: { measured: all / 1e6, at_most: 20, unit: ' MB' },
    },
    ...largest.slice(0, 5).map(([name, size]) => ({ what: `of that ${name}`, figure: megabytes(size) })),
  ]
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
