import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Entry, Ledger } from './ledger.ts'

/**
 * One JSON line per entry, for one process at a time. Written before the answer and without an fsync: it
 * survives a killed process, not a power failure.
 */
export function fileLedger(path: string): Ledger {
  let size_bytes = 0
  return {
    load() {
      mkdirSync(dirname(path), { recursive: true })
      const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
      // A last line without its newline was never answered for: cut off, or the next entry would be glued to it.
      size_bytes = bytes.lastIndexOf(0x0a) + 1
      if (size_bytes < bytes.length) truncateSync(path, size_bytes)
      return bytes.toString('utf8', 0, size_bytes).split('\n').slice(0, -1).map(parseLine(path))
    },
    append(entry) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      try {
        appendFileSync(path, line)
      } catch (fault) {
        if (existsSync(path)) truncateSync(path, size_bytes)
        throw fault
      }
      size_bytes += line.length
    },
  }
}

function parseLine(path: string): (line: string, index: number) => Entry {
  return (line, index) => {
    try {
      return JSON.parse(line) as Entry
    } catch (cause) {
      throw new Error(`The ledger ${path} is damaged in line ${index + 1}.`, { cause })
    }
  }
}
