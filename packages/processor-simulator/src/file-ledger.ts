import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  truncateSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { locked } from './file-lock.ts'
import type { Entry, Ledger } from './ledger.ts'

/**
 * One JSON line per entry, for the processes of one machine. Written before the processor answers, without an fsync: it
 * survives a killed process, not a power failure.
 */
export function fileLedger(path: string): Ledger {
  if (typeof path !== 'string' || path === '')
    throw new TypeError('A file ledger needs the `path` of its file.')
  /** How much of the file this process has read or written. */
  let size_bytes = 0
  let lines = 0
  const inTurn = <Value>(run: () => Value) => locked(`${path}.lock`, run)

  function readOn(): Entry[] {
    const bytes = bytesFrom(path, size_bytes)
    // A last line without its newline was never acknowledged. It is cut off, or the next entry would be appended to it.
    const whole_bytes = bytes.lastIndexOf(0x0a) + 1
    if (whole_bytes < bytes.length) truncateSync(path, size_bytes + whole_bytes)
    const read = bytes.toString('utf8', 0, whole_bytes).split('\n').slice(0, -1)
    const entries = read.map((line, index) => parseLine(path, line, lines + index + 1))
    size_bytes += whole_bytes
    lines += entries.length
    return entries
  }

  return {
    load() {
      mkdirSync(dirname(path), { recursive: true })
      return inTurn(readOn)
    },
    turn: (run) => inTurn(() => run(readOn())),
    append(entry) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      try {
        appendFileSync(path, line)
      } catch (fault) {
        if (existsSync(path)) truncateSync(path, size_bytes)
        throw fault
      }
      size_bytes += line.length
      lines += 1
    },
  }
}

function bytesFrom(path: string, start: number): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0)
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - start))
    if (bytes.length > 0) readSync(file, bytes, 0, bytes.length, start)
    return bytes
  } finally {
    closeSync(file)
  }
}

function parseLine(path: string, line: string, number: number): Entry {
  try {
    return JSON.parse(line) as Entry
  } catch (cause) {
    throw new Error(`The ledger ${path} is damaged in line ${number}.`, { cause })
  }
}
