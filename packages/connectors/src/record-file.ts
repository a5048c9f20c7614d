import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { err, ok, type RejectedRecord, type Result, readRecords } from '@quittance/core'
import { parseCsv } from './csv.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import { inTurns } from './in-turns.ts'

/** A file's records, by id, each id once; or why there are none. */
export type Loaded<LedgerRecord> =
  | { kind: 'records'; records: LedgerRecord[]; rejected: RejectedRecord[] }
  | { kind: 'refused'; reason: string }

type Schema = Parameters<typeof readRecords>[0]

interface Wanted<Of extends Schema> {
  site_id: string
  name: string
  schema: Of
  id_field: Parameters<typeof readRecords<Of>>[2]
}

/** How many parsed files are kept, for the pages that follow. */
const kept_files = 8

/** Loads files of records from the folders of the sites. One that has not changed since the last page is not parsed again. */
export function recordFiles(directory: string) {
  const kept = new Map<string, { version: string; loaded: Loaded<unknown> }>()
  return async <Of extends Schema>(wanted: Wanted<Of>): Promise<Loaded<Of['_zod']['output']>> => {
    const found = await findFile(directory, wanted)
    if (found.kind === 'refused') return found
    const { path, version } = found
    const known = kept.get(path)
    if (known?.version === version) return known.loaded as Loaded<Of['_zod']['output']>
    const loaded = await loadFile(path, wanted)
    kept.delete(path)
    kept.set(path, { version, loaded })
    const [oldest] = kept.keys()
    if (kept.size > kept_files && oldest !== undefined) kept.delete(oldest)
    return loaded
  }
}

type Found = { kind: 'file'; path: string; version: string } | { kind: 'refused'; reason: string }

async function findFile(directory: string, { site_id, name }: Wanted<Schema>): Promise<Found> {
  // A plain name: a path could lead out of the directory.
  if (!/^[\w-]+(\.[\w-]+)*$/.test(site_id))
    return { kind: 'refused', reason: 'the site is no name of a folder' }
  const files: Extract<Found, { kind: 'file' }>[] = []
  for (const ending of ['json', 'csv']) {
    const path = join(directory, site_id, `${name}.${ending}`)
    const found = await stat(path).catch(() => null)
    if (found?.isFile()) files.push({ kind: 'file', path, version: `${found.mtimeMs} ${found.size}` })
  }
  const [file, other] = files
  if (file === undefined) return { kind: 'refused', reason: `there is no ${name}.json or ${name}.csv` }
  return other === undefined ? file : { kind: 'refused', reason: `there are two files of ${name}` }
}

async function loadFile<Of extends Schema>(
  path: string,
  { name, schema, id_field }: Wanted<Of>,
): Promise<Loaded<Of['_zod']['output']>> {
  const refused = (reason: string) => ({ kind: 'refused' as const, reason: `${name}: ${reason}` })
  const text = decodeUtf8(await readFile(path))
  if (text === null) return refused('not UTF-8')
  const given = path.endsWith('.csv') ? await parseTable(text, schema) : parseList(text)
  if (given.isErr()) return refused(given.error)
  const byId = new Map<string, Of['_zod']['output']>()
  const rejected: RejectedRecord[] = []
  const twice: RejectedRecord[] = []
  await inTurns(given.value, (one) => {
    const read = readRecords(schema, [one], id_field)
    rejected.push(...read.rejected)
    for (const record of read.records) {
      const id = String((record as Record<string, unknown>)[id_field])
      if (byId.has(id)) twice.push({ id, reason: `${id_field}: appears twice` })
      else byId.set(id, record)
    }
  })
  const ordered = [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record)
  return { kind: 'records', records: ordered, rejected: [...rejected, ...twice] }
}

/** Refuses a header that lacks a required column: the separator, the names or the file must be wrong. */
async function parseTable(text: string, { shape }: Schema): Promise<Result<unknown[], string>> {
  return (await parseCsv(text)).andThen((rows) => {
    const [first] = rows
    const needed = Object.keys(shape).filter((name) => shape[name]._zod.optin !== 'optional')
    const missing = first === undefined ? [] : needed.filter((name) => !(name in first))
    if (missing.length > 0) return err(`line 1: the header has no ${missing.join(', ')}`)
    return ok(rows.map(typed))
  })
}

function parseList(text: string): Result<unknown[], string> {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? ok(parsed) : err('no JSON list')
  } catch {
    return err('not JSON')
  }
}

/** CSV has only text: plain digits are read as an amount, and an empty `number` as null. */
function typed(row: Record<string, string>): Record<string, unknown> {
  const amount = (text: string | undefined) =>
    text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text
  const { total, amount_paid, number } = row
  return {
    ...row,
    total: amount(total),
    amount_paid: amount(amount_paid),
    number: number === '' ? null : number,
  }
}
