import { scopeOfConnection } from '../connections/connection-id.ts'
import { createConnection } from '../connections/create-connection.ts'
import { inWords } from '../kernel/in-words.ts'
import { ok, ResultAsync } from '../kernel/result.ts'
import type { LedgerConnection } from '../ports/connector.ts'
import type { Scope } from '../ports/store.ts'
import { engineScope } from '../ports/tables.ts'
import type { SyncRunRow } from '../sync-runs/sync-run.ts'
import { workspaceNamed } from '../workspaces/find-workspace.ts'
import { type BackOfficeError, refuse } from './back-office-error.ts'
import type { BackOfficePorts } from './back-office-ports.ts'
import { createOrganizationKey, type OrganizationKey } from './create-organization-key.ts'
import { type OnboardedEntity, onboardEntity } from './onboard-entity.ts'
import { type HistoricalSync, syncHistorical } from './sync-historical.ts'

/** The back-office endpoints without HTTP (specification: Back-office endpoints), and functions without a path. */
export interface BackOffice {
  syncHistorical(input: unknown): ResultAsync<HistoricalSync, BackOfficeError>
  onboardEntity(input: unknown): ResultAsync<OnboardedEntity, BackOfficeError>
  createOrganizationKey(organization: string): ResultAsync<OrganizationKey, BackOfficeError>
  /** Refuses with `health_status_error` if the store cannot be read. */
  health(): ResultAsync<null, BackOfficeError>
  /** A connection of any kind, in any environment. Resolves to its id. Throws if there is no such workspace. */
  connect(scope: Scope, connection: LedgerConnection & { kind: string }): Promise<string>
  /** The syncs of a connection with their progress, newest first, at most 100. */
  syncRuns(connection: string): Promise<SyncRunRow[]>
}

export function backOfficeFunctions(ports: BackOfficePorts): BackOffice {
  const { store, logger, unitsOf } = ports
  return {
    syncHistorical: (input) => new ResultAsync(syncHistorical(ports, input)),
    onboardEntity: (input) => new ResultAsync(onboardEntity(ports, input)),
    createOrganizationKey: (organization) => new ResultAsync(createOrganizationKey(ports, organization)),
    health() {
      const read = store.read(engineScope(false), (rows) => rows.cursors.get('health'))
      const well = read.then(
        () => ok(null),
        (fault) => {
          logger.error('the store cannot be read', { fault: inWords(fault) })
          return refuse('health_status_error')
        },
      )
      return new ResultAsync(well)
    },
    async connect(scope, connection) {
      const units = unitsOf(scope)
      for (const name of ['kind', 'base_url', 'site_id', 'token'] as const)
        if (typeof connection[name] !== 'string')
          throw new TypeError(`A connection has a \`${name}\`, which is a text; it may be empty.`)
      await workspaceNamed(store, scope.workspace)
      const { id } = await units.write((unit) => createConnection(unit, connection))
      return id
    },
    async syncRuns(connection) {
      const scope = scopeOfConnection(connection)
      if (!scope) return []
      return store.read(scope, (rows) => rows.sync_runs.page({ where: { connection }, limit: 100 }))
    },
  }
}
