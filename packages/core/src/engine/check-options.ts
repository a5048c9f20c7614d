import { eventType } from '../events/event.ts'
import { option, refuseWrongOptions } from '../kernel/refuse-wrong-options.ts'
import { paymentMethodType } from '../payment-methods/payment-method.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Processor } from '../ports/processor.ts'
import type { EngineOptions, Notices } from './engine-options.ts'

/** What headers begin with unless a host says otherwise (specification: Delivery). */
export const default_brand = 'Service'
export const default_retention_hours = 72

/** Ten years: times are compared as texts, which holds while a year has four digits. */
const most_hours = 87_600

const kinds = {
  store: option.any,
  secret: option.any,
  processors: option.any,
  publicUrl: option.any,
  clock: option.port('now', 'real', 'after'),
  ids: option.port('prefixed', 'uuid', 'secret', 'bytes'),
  logger: option.logger,
  notifier: option.any,
  notifyOfKeyEndpoints: option.flag,
  connectors: option.object,
  brand: option.text,
  rateLimit: option.any,
  idempotencyRetentionHours: option.any,
  allowInsecureDestinations: option.flag,
  testHelpers: option.flag,
  on: option.any,
}

/** Throws at once for mistakes that would show late: a dead link, a listener never called, a key forgotten early, a guard off. */
export function checkOptions(options: EngineOptions): void {
  if (typeof Promise.withResolvers !== 'function') throw new Error('Quittance needs Node 22.12 or newer.')
  refuseWrongOptions('createEngine', options, kinds)
  const { store, processors, connectors = {} } = options
  if (typeof store?.transaction !== 'function')
    throw new TypeError('`store` is a store, such as `sqliteStore({ filename })` gives.')
  if (!processors)
    throw new TypeError('`processors` names a processor for `sandbox`, for `live` or for both.')
  for (const [environment, processor] of Object.entries(processors)) {
    if (environment !== 'sandbox' && environment !== 'live')
      throw new TypeError(`\`processors\` are for \`sandbox\` and \`live\`, not for ${environment}.`)
    if (processor !== undefined) checkProcessor(environment, processor)
  }
  for (const [kind, connector] of Object.entries(connectors)) {
    if (connector === undefined) continue
    if (typeof connector?.customers !== 'function' || typeof connector.invoices !== 'function')
      throw new TypeError(`\`connectors.${kind}\` is a connector, such as \`ledgerConnector()\` gives.`)
  }
  if (options.notifier) checkNotifier(options.notifier)
  const { brand = default_brand, idempotencyRetentionHours: hours = default_retention_hours } = options
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(brand))
    throw new TypeError(`\`brand\` begins the names of headers, which ${JSON.stringify(brand)} cannot.`)
  if (!(typeof hours === 'number' && hours >= 24 && hours <= most_hours))
    throw new TypeError(`\`idempotencyRetentionHours\` is a number, at least 24 and at most ${most_hours}.`)
  checkPublicUrl(options.publicUrl)
  checkListeners(options.on ?? {})
}

const notices: readonly (keyof Notifier)[] = ['endpointPaused', 'syncFinished']

/** It may be empty on purpose: a plain object without unknown names. A class has its methods on its prototype. */
function checkNotifier(notifier: Notices): void {
  if (notices.some((notice) => typeof notifier[notice] === 'function')) return
  const names: readonly string[] = notices
  const isPlain = Object.getPrototypeOf(notifier) === Object.prototype
  if (isPlain && Object.keys(notifier).every((name) => names.includes(name))) return
  throw new TypeError(`\`notifier\` has ${notices.map((notice) => `\`${notice}\``).join(' or ')}, or both.`)
}

const processor_methods: Readonly<Record<Exclude<keyof Processor, 'types'>, true>> = {
  verify: true,
  charge: true,
  refund: true,
  void: true,
  lookup: true,
  notifications: true,
  nextNotificationAt: true,
}

/** A missing method would look like a processor that does not answer, and leave payments `processing`. */
function checkProcessor(environment: string, processor: Processor): void {
  const methods = Object.keys(processor_methods) as (keyof typeof processor_methods)[]
  const missing = methods.find((method) => typeof processor?.[method] !== 'function')
  if (missing !== undefined)
    throw new TypeError(`\`processors.${environment}\` is no processor: it has no \`${missing}\`.`)
  const { types } = processor
  const known = Array.isArray(types) && types.every((type) => paymentMethodType.options.includes(type))
  if (!known)
    throw new TypeError(
      `\`processors.${environment}.types\` is a list of ${paymentMethodType.options.join(' and ')}.`,
    )
}

function checkPublicUrl(publicUrl: string): void {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError(`\`publicUrl\` is an http or https URL, not ${publicUrl}.`)
  if (url.search || url.hash || url.username || url.password)
    throw new TypeError(
      '`publicUrl` has no query, fragment or password: the addresses of pages begin with it.',
    )
}

function checkListeners(on: object): void {
  if (typeof on !== 'object' || on === null || Symbol.iterator in on)
    throw new TypeError(
      '`on` names a listener for each type of event, as `{ "payment.succeeded": listener }`.',
    )
  const types: readonly string[] = eventType.options
  for (const [type, listener] of Object.entries(on)) {
    if (!types.includes(type))
      throw new TypeError(`\`on\` listens to ${type}, which is no event: there are ${types.join(', ')}.`)
    if (listener !== undefined && typeof listener !== 'function')
      throw new TypeError(`The listener of ${type} is no function.`)
  }
}
