export { hostedPages } from './hosted-pages.ts'
export type { HostedPages, PageRequest, PageResponse } from './message.ts'
