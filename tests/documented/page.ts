import { execFile } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readText, root } from '../../tools/packages.ts'
import { temporaryHome } from '../server/dev-server.ts'

/** A code block of a page. */
export interface Block {
  language: string
  text: string
}

/** A page's code blocks, in their order. */
export function blocksOf(path: string): Block[] {
  return [...readText(path).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

/** The rows of the table whose first column has this title, as cells without their code marks; none: an empty list. */
export function tableOf(text: string, ...titles: string[]): string[][] {
  const lines = text.split('\n')
  const head = lines.findIndex((line) => titles.every((title, at) => cellsOf(line)[at] === title))
  const rows = head < 0 ? [] : lines.slice(head + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end < 0 ? rows.length : end).map(cellsOf)
}

function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** The words that a cell sets as code. */
export function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
}

/** A folder of its own from which the packages can be imported, as from the root. */
export function installedFolder(): { folder: string; remove(): void } {
  const { home, remove } = temporaryHome()
  symlinkSync(fileURLToPath(new URL('node_modules', root)), join(home, 'node_modules'))
  return { folder: home, remove }
}

/** Gives `work` such a folder, and what runs a program there and answers its output. */
export async function inFolder<Value>(
  work: (folder: string, run: (program: string, ...args: string[]) => Promise<string>) => Promise<Value>,
): Promise<Value> {
  const { folder, remove } = installedFolder()
  try {
    return await work(folder, async (program, ...args) => {
      const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: folder })
      return stderr + stdout
    })
  } finally {
    remove()
  }
}
