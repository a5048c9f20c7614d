import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { root } from '../packages.ts'

/** The browser's side of Elements as served: one minified script each, which loads nothing else. */
export async function elementsScripts(): Promise<string> {
  const scripts: string[] = []
  for (const name of ['quittance-elements', 'card-frame', 'bank-account-frame']) {
    const constant = name.replaceAll('-', '_')
    scripts.push(`export const ${constant} =\n  ${JSON.stringify(await bundle(name))}\n`)
  }
  return ['// Written by `npm run docs` from the files in browser/.\n', ...scripts].join('\n')
}

async function bundle(name: string): Promise<string> {
  const input = fileURLToPath(new URL(`packages/pages/src/elements/browser/${name}.ts`, root))
  const bundle = await rolldown({ input, cwd: fileURLToPath(root), platform: 'browser', logLevel: 'warn' })
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    return output[0].code.trim()
  } finally {
    await bundle.close()
  }
}
