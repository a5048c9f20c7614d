import { z } from 'zod'
import { keyScopes } from '../api-keys/api-key.ts'
import { issueKey } from '../api-keys/create-key.ts'
import { back_office, noteInAudit } from '../audit-entries/note-in-audit.ts'
import { createConnection } from '../connections/create-connection.ts'
import { fail } from '../errors/domain-error.ts'
import type { Context, Unit } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import { emailAddress } from '../schema/text.ts'
import { takeName } from '../unique-names/take-name.ts'
import { hashPassword } from '../users/hash-password.ts'
import { createWorkspace } from '../workspaces/create-workspace.ts'
import { type BackOfficeError, refusal, refuse } from './back-office-error.ts'
import type { BackOfficePorts } from './back-office-ports.ts'
import { readFields } from './read-fields.ts'

const name = z.string().min(1).max(200)
const text = z.string().max(500)

/** The kind of connector that reads onboarded connections. */
const onboarded_kind = 'ledger'

const ledgerEntry = z.strictObject({
  ledgerAPIBaseUrl: z.string().min(1).max(2048),
  ledgerSiteId: name,
  token: z.string().min(1).max(4096),
})
const integrationEntry = z.strictObject({ serviceTypeId: name, ledgerSiteId: name, configuration: z.json() })
const entity = z.strictObject({
  organization: z.strictObject({
    email: emailAddress,
    name,
    slug: z.string().min(1).max(100),
    phoneNumber: text,
    website: text,
  }),
  ledger: z.array(ledgerEntry).min(1).max(50),
  integrations: z.array(integrationEntry).max(50),
  user: z.strictObject({ name, email: emailAddress, password: z.string().min(1).max(1024) }),
})
type Entity = z.output<typeof entity>

/** The groups as they were sent, with ids and without password and tokens. `apiKey` is shown only here. */
export interface OnboardedEntity {
  /** The id of the organization, which is that of its workspace. */
  id: string
  organization: Entity['organization'] & { id: string }
  /** A historical sync names its ledger by `connectionId`. */
  ledger: (Omit<Entity['ledger'][number], 'token'> & { connectionId: string })[]
  integrations: Entity['integrations']
  user: Omit<Entity['user'], 'password'> & { id: string }
  /** A sandbox secret key. */
  apiKey: string
}

/** `POST /back-office/onboard/entity`: a workspace and everything that belongs to it, in one unit of work. */
export async function onboardEntity(
  { ids, clock, unitsOf }: BackOfficePorts,
  input: unknown,
): Promise<Result<OnboardedEntity, BackOfficeError>> {
  const read = readFields(entity, input)
  if (read.isErr()) return err(read.error)
  const scope = { workspace: ids.uuid(clock.now()), livemode: false }
  const units = unitsOf(scope)
  const insecure = read.value.ledger.findIndex((one) => !isLedgerUrl(one.ledgerAPIBaseUrl, units))
  if (insecure >= 0) {
    const issue = {
      path: `ledger[${insecure}].ledgerAPIBaseUrl`,
      message: 'An https URL without credentials',
    }
    return refuse('validation_error', undefined, [issue])
  }
  // About 50 ms on another thread, spent before the unit of work, because other units may wait for that one.
  const password_hash = await hashPassword(read.value.user.password, ids.bytes(16))
  const made = await units.work((unit) => create(unit, read.value, password_hash))
  return made.mapErr(({ message }) => refusal('resource_already_exists', message))
}

async function create(unit: Unit, given: Entity, password_hash: string) {
  const { tx, scope, ids, now } = unit
  const { organization, user } = given
  const id = scope.workspace
  const created_at = now
  const switches = { api_enabled: true, refunds_enabled: true }
  await createWorkspace.run({ ...unit, actor: back_office }, { name: organization.name, ...switches })
  const { email, name, slug, phoneNumber: phone_number, website } = organization
  const user_id = ids.uuid(Date.parse(now))
  const names = [
    { kind: 'organization.slug', name: slug, owner: id },
    { kind: 'organization.email', name: email.toLowerCase(), owner: id },
    { kind: 'user.email', name: user.email.toLowerCase(), owner: user_id },
  ]
  for (const one of names) {
    if (!(await takeName(unit, one)))
      return fail('conflict', { message: `Another one has this ${one.kind}.` })
  }
  await tx.organizations.insert({ ...scope, id, name, slug, email, phone_number, website, created_at })
  await tx.users.insert({
    ...scope,
    id: user_id,
    name: user.name,
    email: user.email,
    password_hash,
    created_at,
  })
  const ledger = await connect(unit, given.ledger)
  for (const integration of given.integrations) await integrate(unit, integration)
  const { key } = await issueKey(unit, { type: 'secret', name: 'Onboarding', scopes: keyScopes })
  await noteInAudit(unit, { actor: back_office, action: 'workspaces.create', target: id })
  return ok({
    id,
    organization: { id, ...organization },
    ledger,
    integrations: given.integrations,
    user: { id: user_id, name: user.name, email: user.email },
    apiKey: key,
  })
}

async function connect(unit: Unit, ledger: Entity['ledger']): Promise<OnboardedEntity['ledger']> {
  const connected: OnboardedEntity['ledger'] = []
  for (const { ledgerAPIBaseUrl, ledgerSiteId, token } of ledger) {
    const place = { kind: onboarded_kind, base_url: ledgerAPIBaseUrl, site_id: ledgerSiteId, token }
    const { id: connectionId } = await createConnection(unit, place)
    connected.push({ ledgerAPIBaseUrl, ledgerSiteId, connectionId })
  }
  return connected
}

async function integrate(
  { tx, scope, ids, secrets, now }: Unit,
  integration: Entity['integrations'][number],
) {
  await tx.integrations.insert({
    ...scope,
    id: ids.uuid(Date.parse(now)),
    service_type_id: integration.serviceTypeId,
    ledger_site_id: integration.ledgerSiteId,
    encrypted_configuration: secrets.encrypt(JSON.stringify(integration.configuration)),
    created_at: now,
  })
}

/** The token is sent to this URL: it must not cross a network in the clear, nor may the URL hold credentials. */
function isLedgerUrl(text: string, { allow_insecure_destinations }: Context): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (allow_insecure_destinations && protocol === 'http:')
}
