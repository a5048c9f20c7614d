import { type Engine, option } from '@quittance/core'
import { backOfficeRoutes, openApiDocument } from '@quittance/transport-http'

// What a library does that is built on these packages: its own declarations name the types that it only inferred.
declare const engine: Engine

export const onboard = (entity: unknown) => engine.backOffice.onboardEntity(entity)
export const sync = (request: unknown) => engine.backOffice.syncHistorical(request)
export const issueKey = (organization: string) => engine.backOffice.createOrganizationKey(organization)
export const routes = [...backOfficeRoutes]
export const api = openApiDocument()
export const refund = engine.refunds.create
export const { admin, pages, deliveries, testHelpers } = engine
export const kinds = { clock: option.having('now'), size: option.required(option.count) }
