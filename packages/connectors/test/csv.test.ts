import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCsv } from '../src/csv.ts'

describe('CSV is read as RFC 4180 has it', () => {
  const readable: [string, string, Record<string, string>[]][] = [
    ['lines that end in CRLF', 'a,b\r\n1,2\r\n', [{ a: '1', b: '2' }]],
    ['lines that end in LF', 'a,b\n1,2\n', [{ a: '1', b: '2' }]],
    ['a last line without its end', 'a,b\r\n1,2', [{ a: '1', b: '2' }]],
    ['spaces, which belong to the field', 'a,b\n 1 , 2', [{ a: ' 1 ', b: ' 2' }]],
    [
      'quoted fields with commas, line ends and quotes',
      'a,b\n"1,\r\n2","3""4"',
      [{ a: '1,\r\n2', b: '3"4' }],
    ],
    ['empty fields', 'a,b\n,""', [{ a: '', b: '' }]],
    ['a header alone', 'a,b', []],
    ['a byte order mark', '\uFEFFa\n1', [{ a: '1' }]],
  ]
  it.each(readable)('with %s', async (_what, text, records) => {
    expect((await parseCsv(text))._unsafeUnwrap()).toEqual(records)
  })

  const refused: [string, string, string][] = [
    ['no header', '', 'there is no header'],
    ['a name twice', 'a,a\n1,2', 'line 1: the header has a name twice or none'],
    ['no name', 'a,\n1,2', 'line 1: the header has a name twice or none'],
    ['a field too few', 'a,b\n1,2\n1', 'line 3: 1 fields where the header has 2'],
    ['a field too many', 'a\n"x\ny"\n1,2', 'line 4: 2 fields where the header has 1'],
    ['an empty line', 'a,b\n\n1,2', 'line 2: 1 fields where the header has 2'],
    ['a quote that is never closed', 'a\n1\n"2', 'line 3: a quote that is never closed'],
    ['a quote inside a plain field', 'a\n1"2', 'line 2: a quote inside a field that is not quoted'],
    ['text after quotes', 'a\n"1"2', 'line 2: a field goes on after its quotes, or a line ends in CR alone'],
    [
      'a line that ends in CR alone',
      'a\r1',
      'line 1: a field goes on after its quotes, or a line ends in CR alone',
    ],
  ]
  it.each(refused)('and refused with its line: %s', async (_what, text, reason) => {
    expect((await parseCsv(text))._unsafeUnwrapErr()).toBe(reason)
  })

  it('whatever stands in the fields', async () => {
    const row = fc.tuple(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', 'x') }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row), async (rows) => {
        const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
        const text = ['a,b', ...rows.map((fields) => fields.map(quoted).join(','))].join('\n')
        expect((await parseCsv(text))._unsafeUnwrap()).toEqual(rows.map(([a, b]) => ({ a, b })))
      }),
    )
  })
})
