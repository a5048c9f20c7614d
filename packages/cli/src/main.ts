#!/usr/bin/env node
import { readFileSync } from 'node:fs'

const usage = `usage: quittance dev | doctor | --help | --version

  dev      the development server: the API and its pages, a sandbox processor with its tokenizer, and the webhook
        dispatcher, on SQLite
  doctor   checks what must hold of the rows of QUITTANCE_STORE, and exits with 1 where it does not, with 2 where they
        could not be checked; only reads

environment
  PORT               where it listens (default 4242; 0 picks a free port); the frames of Elements are at the next one
  QUITTANCE_HOME     where it keeps its files (default .quittance)
  QUITTANCE_STORE    sqlite:<file> or postgres://…[?schema=quittance] (default sqlite:<home>/dev.db)
  QUITTANCE_REDIS    redis://<host>:<port>: wakes dispatchers and counts limits for all processes (needs ioredis)
  QUITTANCE_PAGE_ORIGINS   pages of yours that may hold the frames of Elements: http://localhost:3000 …
  QUITTANCE_STRICT   1: no insecure webhook destinations, no test helpers`

/** Loaded on demand. */
const commands: Readonly<Record<string, (env: NodeJS.ProcessEnv) => Promise<unknown>>> = {
  dev: async (env) => (await import('./dev.ts')).dev(env),
  doctor: async (env) => (await import('./doctor.ts')).doctor(env),
}

const asked = process.argv.slice(2)
const [command = '', extra] = asked
const run = Object.hasOwn(commands, command) ? commands[command] : undefined
if (typeof Promise.withResolvers !== 'function') {
  refuse('Quittance needs Node 22.12 or newer.')
} else if (asked.some((word) => ['help', '--help', '-h'].includes(word))) {
  console.log(usage)
} else if (command === '--version') {
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
} else if (run === undefined) {
  refuse(command === '' ? usage : `There is no command ${command}.\n\n${usage}`)
} else if (extra !== undefined) {
  refuse(`quittance ${command} takes no ${extra}: its settings are in the environment.\n\n${usage}`)
} else {
  process.exitCode = await run(process.env).then(
    (well) => (well === false ? 1 : 0),
    (fault: unknown) => {
      console.error(fault instanceof Error ? fault.message : fault)
      return command === 'doctor' ? 2 : 1
    },
  )
}

function refuse(why: string): void {
  console.error(why)
  process.exitCode = 2
}
