import { posix } from 'node:path'
import { filesBelow, root } from '../packages.ts'
import { headOf, table } from './markdown.ts'

/** A row as the machines list them (core: kernel/transitions.ts). */
interface Row {
  from: string | null
  on: string
  to: string
  emits?: string
}

interface Lifecycle {
  name: string
  transitions: readonly Row[]
}

const sentences = [
  'Every status that a record can have, and the triggers that change it. A trigger without a row for the current status changes',
  'nothing, and the API refuses the request, unless the record already is as requested: expiring an expired checkout session,',
  'disabling a disabled endpoint and confirming a session again with the same token answer `200`, and write no event.',
].join('\n')

/** What no row of a machine can say, below its diagram. */
const remarks: Readonly<Record<string, string>> = {
  Payment:
    'The status `authorized` and the event `payment.authorized` (approved, not captured) are defined, but do not occur: every charge\n' +
    'is a sale.',
}

/** The state machines as the specification writes them, from the rows that move them. */
export async function lifecyclesDocument(): Promise<string> {
  const machines = filesBelow('packages/core/src').filter((path) => path.endsWith('-machine.ts'))
  const lifecycles = await Promise.all(machines.map(readMachine))
  return [headOf('Lifecycles', sentences), ...lifecycles.map(section)].join('\n')
}

/** Each machine exports its rows under a name with this ending. */
async function readMachine(path: string): Promise<Lifecycle> {
  const module = (await import(new URL(path, root).href)) as Record<string, unknown>
  const name = Object.keys(module).find((key) => key.endsWith('Transitions'))
  if (name === undefined) throw new Error(`${path} exports no …Transitions.`)
  const words = posix.basename(path, '-machine.ts').replaceAll('-', ' ')
  return {
    name: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    transitions: module[name] as readonly Row[],
  }
}

function section({ name, transitions }: Lifecycle): string {
  const events = transitions.some((row) => row.emits !== undefined)
  const columns = ['From', 'Trigger', 'To', ...(events ? ['Event'] : [])]
  const rows = transitions.map(({ from, on, to, emits }) => [
    from === null ? '(none)' : code(from),
    on,
    code(to),
    ...(events ? [emits === undefined ? '' : code(emits)] : []),
  ])
  const remark = remarks[name]
  const below = remark === undefined ? '' : `\n${remark}\n`
  return `## ${name}\n\n${table(columns, rows)}\n\n${diagram(transitions)}\n${below}`
}

function diagram(transitions: readonly Row[]): string {
  const arrows = transitions.map(({ from, on, to }) => `  ${from ?? '[*]'} --> ${to}: ${on}`)
  // In a table without a creation, the first row leaves the status with which a record begins.
  const [first] = transitions
  if (first && !transitions.some(({ from }) => from === null)) arrows.unshift(`  [*] --> ${first.from}`)
  const left = new Set<string | null>(transitions.map(({ from }) => from))
  const last = [...new Set(transitions.map(({ to }) => to))].filter((status) => !left.has(status))
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...arrows,
    ...last.map((status) => `  ${status} --> [*]`),
    '```',
  ].join('\n')
}

const code = (text: string) => `\`${text}\``
