import { postgresStore } from '../src/postgres-store.ts'

const [connectionString = '', schema = 'quittance'] = process.argv.slice(2)
const store = postgresStore({ connectionString, schema })
await store.migrate()
await store.close()
