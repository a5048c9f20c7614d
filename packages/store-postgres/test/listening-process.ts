import pg from 'pg'
import { postgresStore } from '../src/postgres-store.ts'

/** Waits for what other processes announce. */
const [connectionString = '', schema = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, allowExitOnIdle: true })
postgresStore({ pool, schema }).onDeliveriesElsewhere(() => {})
