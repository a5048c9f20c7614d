import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { filesBelow, readPackages, readText } from '../tools/packages.ts'
import { blocksOf, installedFolder } from './documented/page.ts'
import { freePort } from './free-port.ts'
import { ask } from './server/client.ts'
import { bareStart, killGroup, startServer } from './server/dev-server.ts'

const readme = readText('README.md')

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

describe('the README', () => {
  it('makes the payment it shows, and its receiver hears of it', async () => {
    const folder = workingFolder()
    const server = await startServer(bareStart(), join(folder, '.quittance'))
    cleanUps.push(() => server.destroy())
    const here = await onFreePorts({ 4242: new URL(server.base_url).port })
    writeFileSync(join(folder, 'receiver.mjs'), here(exampleOf('receiver.mjs')))

    const said = spawnIn(folder, [
      'bash',
      '-eu',
      '-c',
      `${here(blocks('bash').join('\n'))}\necho the end\nwait`,
    ])
    await said.until(/^the end$/m)
    await said.until(/^received .*$/m)
    for (const shown of blocks('text')) expect(unvarying(said.text())).toContain(unvarying(shown))
  })

  it('embeds the engine in a server that answers, and that stops when it is told to', async () => {
    const folder = workingFolder()
    const port = await freePort()
    const here = await onFreePorts({ 4244: String(port) })
    writeFileSync(join(folder, 'shop.mjs'), here(exampleOf('shop.mjs')))
    const env = { ...process.env, SHOP_SECRET: 'a secret of the README, 32 bytes or more' }
    const start = () => spawnIn(folder, [process.execPath, '--conditions=@quittance/source', 'shop.mjs'], env)
    const shop = start()
    const secret_key = (await shop.until(/^sk_test_\w+$/m))[0]

    const server = {
      base_url: `http://127.0.0.1:${port}/v1`,
      sandbox: { secret_key, publishable_key: '' },
    }
    const account = () => ask<{ name: string }>(server, '/account')
    const answers = async () => expect((await account()).body.name).toBe('Shop')
    await vi.waitFor(answers, 60_000)
    // As a browser opens one ahead.
    const idle = connect(port, '127.0.0.1').on('error', () => {})
    await once(idle, 'connect')
    expect(await shop.end('SIGTERM')).toBe(0)

    const again = start()
    await vi.waitFor(answers, 60_000)
    // Clients that keep their connections and have no pause.
    let stopping = true
    const ask_on = async () => {
      while (stopping) await account().catch(() => {})
    }
    const clients = [ask_on(), ask_on(), ask_on(), ask_on()]
    expect(await again.end('SIGTERM')).toBe(0)
    stopping = false
    await Promise.all(clients)
    expect(again.text()).toBe('')
  })

  it('names every package', () => {
    for (const { file } of readPackages()) expect(readme).toContain(`| \`${file.name}\` |`)
  })
})

describe('the READMEs of the packages', () => {
  const readmes = readPackages().map(({ folder, file }) => ({
    name: file.name,
    text: readText(`packages/${folder}/README.md`),
  }))
  const imports = readmes.flatMap(({ text }) =>
    [...text.matchAll(/^import \{ (.*) \} from '(@quittance\/.*)'$/gm)].map((match) => match.slice(1)),
  )

  it.each(readmes)('$name begins with its name', ({ name, text }) => {
    expect(text.startsWith(`# ${name}\n`)).toBe(true)
  })

  it.each(imports)('%s can be imported from %s', async (names, from) => {
    expect(Object.keys(await import(from))).toEqual(expect.arrayContaining(names.split(', ')))
  })
})

describe('the documents of the house', () => {
  const documents = [...filesBelow('docs').filter((path) => path.endsWith('.md')), ...rootDocuments()]

  it.each(documents)('%s links to files and headings that exist', (path) => {
    const links = [...readText(path).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)]
    for (const [link, file = '', heading = ''] of links) {
      const linked = () => readText(file === '' ? path : join(dirname(path), file))
      expect(linked, link).not.toThrow()
      if (heading !== '') expect(headingsOf(linked()), link).toContain(heading)
    }
  })
})

/** The anchors that a page's headings get. */
function headingsOf(text: string): string[] {
  const headings = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  )
}

function rootDocuments(): string[] {
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'AGENTS.md']
}

/** The README's blocks in a language, in their order. */
function blocks(language: string): string[] {
  const all = blocksOf('README.md').filter((block) => block.language === language)
  return all.map(({ text }) => text)
}

function exampleOf(file: string): string {
  const example = blocks('js').find((text) => text.startsWith(`// ${file}\n`))
  if (example === undefined) throw new Error(`The README shows no ${file}.`)
  return example
}

/** Ids, times and nothing else differ from run to run. */
function unvarying(text: string): string {
  return text.replace(/\b(pay|pm)_test_\w{24}\b/g, '$1_test_').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
}

/** Until the end of the test. */
function workingFolder(): string {
  const { folder, remove } = installedFolder()
  cleanUps.push(remove)
  return folder
}

/** Replaces the README's ports by free ones, so that a server of the reader's own is left alone. */
async function onFreePorts(known: Record<string, string>): Promise<(text: string) => string> {
  const ports: Record<string, string> = { 4300: String(await freePort()), ...known }
  return (text) => text.replace(/\b(4242|4244|4300)\b/g, (port) => ports[port] ?? port)
}

/** A program in a process group of its own, so that what it leaves in the background ends with the test. */
function spawnIn(cwd: string, [program = '', ...args]: readonly string[], env = process.env) {
  const child: ChildProcess = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk
      for (const listen of listeners) listen()
    })
  }
  cleanUps.push(() => killGroup(child))
  return {
    text: () => said,
    /** Waits until the pattern stands in what was said, or the program has ended without saying it. */
    until: (pattern: RegExp) =>
      new Promise<RegExpMatchArray>((resolve, reject) => {
        const look = () => {
          const found = said.match(pattern)
          if (found) resolve(found)
        }
        listeners.add(look)
        child.once('close', () => reject(new Error(`It ended without saying ${pattern}:\n${said}`)))
        look()
      }),
    async end(signal: NodeJS.Signals): Promise<number | null> {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}
