import type { z } from 'zod'
import type { ApiKeyRow } from '../api-keys/api-key.ts'
import type { AuditEntryRow } from '../audit-entries/audit-entry.ts'
import { host, noteInAudit } from '../audit-entries/note-in-audit.ts'
import type { DeliveryRow } from '../deliveries/delivery.ts'
import { type DomainError, fail, missing } from '../errors/domain-error.ts'
import type { Action } from '../kernel/action.ts'
import { page } from '../kernel/page.ts'
import { option, refuseWrongOptions } from '../kernel/refuse-wrong-options.ts'
import { render } from '../kernel/render.ts'
import { err, errAsync, ok, type Result, ResultAsync } from '../kernel/result.ts'
import { type Payment, payment } from '../payments/payment.ts'
import { voidPayment } from '../payments/void-payment.ts'
import type { Reads, ReadTable, Scope } from '../ports/store.ts'
import type { createRefund } from '../refunds/create-refund.ts'
import type { Refund } from '../refunds/refund.ts'
import { byId } from '../schema/ids.ts'
import { type List, listQuery } from '../schema/list.ts'
import { isStorable } from '../schema/text.ts'
import { findWorkspace } from '../workspaces/find-workspace.ts'
import { type WorkspaceRow, workspaceScope } from '../workspaces/workspace.ts'
import { actions } from './actions.ts'
import { type Api, asksProcessor, type CallOptions } from './api.ts'
import { calledByName } from './called-by-name.ts'
import { hashedKey, isIdempotencyKey } from './idempotency/key-decisions.ts'
import { callerOf, checkedScope } from './request/caller.ts'
import { parseInput } from './request/parameters.ts'
import type { Services, UnitServices } from './services.ts'
import { contextOf, inUnit, unitsOf } from './unit-of-work/unit-of-work.ts'

/** On whose behalf an action runs: a workspace, an environment, and the dashboard user for the audit log. */
export interface Actor extends Scope {
  by?: string | undefined
}

type Actions = typeof actions
type Callable<Of> =
  Of extends Action<infer Input, infer Value>
    ? (actor: Actor, input: z.input<Input>) => ResultAsync<Value, DomainError>
    : never
type Callables = {
  readonly [Noun in keyof Actions]: { readonly [Verb in keyof Actions[Noun]]: Callable<Actions[Noun][Verb]> }
}

/** Any action, for code that runs all of them the same way. */
type AnyAction = Action<z.ZodType, { id: string }>

type Listing<Row> = (
  scope: Scope,
  query?: z.input<typeof listQuery>,
) => Promise<Result<List<Row>, DomainError>>

/** What the dashboard does, as functions of the library. Each action leaves an audit entry. */
export interface Admin extends Omit<Callables, 'workspaces' | 'keys'> {
  workspaces: {
    create(input: z.input<Actions['workspaces']['create']['input']> & { by?: string }): Promise<WorkspaceRow>
    update: Callables['workspaces']['update']
  }
  keys: Callables['keys'] & { list: Listing<Omit<ApiKeyRow, 'hash'>> }
  payments: {
    /** Stops a payment that is not yet in a batch of the processor; `conflict` once it is. */
    void(actor: Actor, input: { id: string }): ResultAsync<Payment, DomainError>
  }
  refunds: {
    /** Like `POST /refunds`, events included. Repeating a call without a key makes another refund. */
    create(
      actor: Actor,
      input: z.input<(typeof createRefund)['input']>,
      options?: CallOptions,
    ): ResultAsync<Refund, DomainError>
  }
  deliveries: { list: Listing<DeliveryRow> }
  audit: { list: Listing<AuditEntryRow> }
}

/** The part of `Admin` that can run in a transaction of the host. */
export type JoinedAdmin = Omit<Admin, 'payments' | 'refunds'>

export function createAdmin(services: Services, api: Api): Admin {
  return {
    ...createJoinable(services),
    payments: {
      void(actor, input) {
        const parsed = parseInput(byId, input)
        if (parsed.isErr()) return errAsync(parsed.error)
        const units = unitsOf(services, checkedScope(actor))
        const asked = { ...parsed.value, actor: nameOf(actor) }
        const voided = new ResultAsync(services.keepOpen(() => voidPayment(units, asked)))
        return voided.map((row) => render(payment, row))
      },
    },
    refunds: {
      create(actor, input, options = {}) {
        refuseWrongOptions('admin.refunds.create', options, { idempotency_key: option.text })
        const { idempotency_key: key = services.ids.secret(24) } = options
        const create = async () => {
          if (!isIdempotencyKey(key)) return fail('idempotency_key_invalid')
          const caller = { ...(await callerOf(services.store, actor)), actor: nameOf(actor) }
          return api.refunds.create(caller, input, { idempotency_key: hashedKey('admin', key) })
        }
        return new ResultAsync(create())
      },
    },
  }
}

export function createJoinedAdmin(services: UnitServices): JoinedAdmin {
  const refuse = (name: string) => () => {
    throw asksProcessor(name)
  }
  const refused = {
    payments: { void: refuse('admin.payments.void') },
    refunds: { create: refuse('admin.refunds.create') },
  }
  return { ...createJoinable(services), ...refused }
}

/** The functions that take one unit of work, or only read, and so can join a transaction of the host. */
function createJoinable(services: UnitServices): JoinedAdmin {
  const called = calledByName<AnyAction>(actions, (name, action) => actionFunction(services, name, action))
  const { workspaces, ...callables } = called as Callables
  return {
    ...callables,
    workspaces: {
      update: (actor, input) => workspaces.update({ ...actor, ...workspaceScope(actor.workspace) }, input),
      async create({ by = host, ...input }) {
        const scope = workspaceScope(services.ids.uuid(services.clock.now()))
        const created = await workspaces.create({ ...scope, by }, input)
        if (created.isErr()) throw new Error(withParam(created.error))
        return created.value
      },
    },
    keys: { ...callables.keys, list: listing(services, ({ api_keys }) => api_keys, withoutHash) },
    deliveries: { list: listing(services, ({ deliveries }) => deliveries, asItIs) },
    audit: { list: listing(services, ({ audit_entries }) => audit_entries, asItIs) },
  }
}

/** Runs an action and writes its audit entry, in one unit of work. The workspace has to exist, unless the action makes it. */
function actionFunction(services: UnitServices, name: string, { input: schema, run, before }: AnyAction) {
  return (actor: Actor, input: unknown = {}): ResultAsync<{ id: string }, DomainError> => {
    const parsed = parseInput(schema, input)
    if (parsed.isErr()) return errAsync(parsed.error)
    const scope = checkedScope(actor)
    const by = nameOf(actor)
    const acted = async () => {
      await before?.(unitsOf(services, scope), parsed.value)
      return inUnit<{ id: string }>(services, contextOf(services, scope), async (unit) => {
        const done = await run({ ...unit, actor: by }, parsed.value)
        if (done.isErr()) return err(done.error)
        await noteInAudit(unit, { actor: by, action: name, target: done.value.id })
        return ok(done.value)
      })
    }
    const act = () => new ResultAsync(acted())
    return name === 'workspaces.create' ? act() : existing(services, scope).andThen(act)
  }
}

function listing<Row extends { id: string }, Shown>(
  { store }: UnitServices,
  table: (rows: Reads) => ReadTable<Row>,
  show: (row: Row) => Shown,
): Listing<Shown> {
  return async (scope, query = {}) => {
    const parsed = parseInput(listQuery, query)
    if (parsed.isErr()) return err(parsed.error)
    return store.read(checkedScope(scope), (rows) => page(table(rows), parsed.value, { where: {}, show }))
  }
}

const asItIs = <Row>(row: Row): Row => row

/** Without this, what is written for a mistyped workspace would go where nobody ever looks. */
function existing({ store }: UnitServices, { workspace }: Scope): ResultAsync<WorkspaceRow, DomainError> {
  const found = findWorkspace(store, workspace).then((row) => (row ? ok(row) : missing('workspace')))
  return new ResultAsync(found)
}

function withParam({ message, param }: DomainError): string {
  return param === undefined ? message : `\`${param}\`: ${message}`
}

/** The user the host names. A number would come back from each store as something else. */
function nameOf({ by = host }: Actor): string {
  if (typeof by !== 'string' || !isStorable(by))
    throw new TypeError('`by` names a user: a text, without NUL characters and halves of surrogate pairs.')
  return by
}

function withoutHash({ hash: _hash, ...shown }: ApiKeyRow): Omit<ApiKeyRow, 'hash'> {
  return shown
}
