import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { withEdit } from './planted-bug.ts'
import { planted_bugs } from './planted-bugs.ts'

/**
 * Loaded before anything else with `node --import`: the engine's sources are changed as they are loaded, by the bug
 * that PLANTED_BUG names. The files stay as they are.
 */
const bug = planted_bugs.find(({ name }) => name === process.env.PLANTED_BUG)
if (bug === undefined) throw new Error(`PLANTED_BUG names no planted bug: ${process.env.PLANTED_BUG}`)

registerHooks({
  load(url, context, next) {
    const edits = bug.edits.filter(({ file }) => url.endsWith(`/packages/${file}`))
    if (edits.length === 0) return next(url, context)
    const source = edits.reduce(withEdit, readFileSync(new URL(url), 'utf8'))
    return { format: 'module-typescript', source, shortCircuit: true }
  },
})
