import { createEngine, memoryStore } from '@quittance/core'
import { expect, it } from 'vitest'
import { deliveryRow } from '../../packages/core/src/deliveries/delivery.ts'
import { actions } from '../../packages/core/src/engine/actions.ts'
import { readText } from '../../tools/packages.ts'
import { codesIn, tableOf } from './page.ts'

const page = readText('docs/admin.md')
const rows = tableOf(page, 'function', 'input').map(([name = '', input = '']) => ({
  name: codesIn(name)[0] ?? '',
  fields: fieldsOf(codesIn(input)[0] ?? ''),
}))

it('the page on administration has a row for every function, and no other', () => {
  const { admin } = createEngine({
    store: memoryStore(),
    secret: 'a secret of these tests, 32 bytes or more',
    processors: {},
    publicUrl: 'https://pay.example.com',
  })
  const functions = Object.entries(admin).flatMap(([noun, verbs]) =>
    Object.keys(verbs).map((verb) => `${noun}.${verb}`),
  )
  expect(rows.map(({ name }) => name).sort()).toEqual(functions.sort())
})

const schemas = Object.entries(actions).flatMap(([noun, verbs]) =>
  Object.entries(verbs).map(([verb, { input }]) => [`${noun}.${verb}`, input.shape] as const),
)

it.each(schemas)('%s is shown with every field of its input', (name, shape) => {
  const here = rows.find((row) => row.name === name)?.fields ?? []
  const [, drafted = ''] = /`invoices\.draft` takes `(\{[^`]*\})`/.exec(page) ?? []
  const shown = name === 'invoices.draft' ? fieldsOf(drafted) : here
  const fields = Object.entries(shape as Record<string, Field>).map(
    ([field, type]) => field + (type.safeParse(undefined).success ? '?' : ''),
  )
  expect(shown.filter((field) => field !== 'by?')).toEqual(fields)
})

it("names the fields of a delivery that are not the dispatcher's", () => {
  const internal = ['workspace', 'livemode', 'emit_of', 'pending_of', 'lease', 'lease_until', 'stopped']
  const section = page.slice(page.indexOf('A delivery in `deliveries.list`'))
  for (const field of Object.keys(deliveryRow.shape).filter((field) => !internal.includes(field)))
    expect(codesIn(section)).toContain(field)
})

interface Field {
  safeParse(value: unknown): { success: boolean }
}

/** `{ id, name? }` as its fields. */
function fieldsOf(text: string): string[] {
  return text.match(/\w+\??/g) ?? []
}
