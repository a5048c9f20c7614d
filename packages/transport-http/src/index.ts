export {
  type BackOfficeOptions,
  type BackOfficeRoute,
  backOfficeRoutes,
  createBackOffice,
} from './back-office.ts'
export { body_limit_bytes, tooLarge } from './body-source.ts'
export { type FetchHandler, type FetchOptions, toFetchHandler } from './fetch.ts'
export { createHandler, type HandlerOptions } from './handler.ts'
export { joinedHeaders } from './joined-headers.ts'
export {
  type BodyRefused,
  escapedFault,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  isBodiless,
} from './message.ts'
export { type NodeListener, type NodeOptions, toNodeListener } from './node.ts'
export { type OpenApiOptions, openApiDocument } from './openapi/document.ts'
export type { Json } from './openapi/schemas.ts'
export type { Pages, PagesOption } from './pages.ts'
export type { OpenLimits, RateLimits, TakeOne } from './rate-limit.ts'
export { type Route, routes } from './routes.ts'
export { answerUnreadableRequests } from './unreadable-requests.ts'
