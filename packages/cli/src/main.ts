#!/usr/bin/env node
import { dev } from './dev.ts'
import { doctor } from './doctor.ts'

const usage = `usage: quittance dev | doctor

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

const [command] = process.argv.slice(2)
if (typeof Promise.withResolvers !== 'function') {
  console.error('Quittance needs Node 22.12 or newer.')
  process.exitCode = 2
} else if (command === 'dev' || command === 'doctor') {
  const run = command === 'dev' ? dev : doctor
  process.exitCode = await run(process.env).then(
    (well) => (well === false ? 1 : 0),
    (fault: unknown) => {
      console.error(fault instanceof Error ? fault.message : fault)
      return command === 'doctor' ? 2 : 1
    },
  )
} else {
  console.error(usage)
  process.exitCode = command === 'help' || command === '--help' ? 0 : 2
}
