import { type Engine, option } from '@quittance/core'
import { backOfficeRoutes, openApiDocument } from '@quittance/transport-http'

// As in a library built on these packages: its declarations must be able to name types that it only infers.
declare const engine: Engine

export const onboard = (entity: unknown) => engine.backOffice.onboardEntity(entity)
export const sync = (request: unknown) => engine.backOffice.syncHistorical(request)
export const issueKey = (organization: string) => engine.backOffice.createOrganizationKey(organization)
export const routes = [...backOfficeRoutes]
export const api = openApiDocument()
export const refund = engine.refunds.create
export const { admin, pages, deliveries, testHelpers } = engine
export const kinds = { clock: option.having('now'), size: option.required(option.count) }
