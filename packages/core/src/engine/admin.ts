import type { WorkspaceRow } from '../accounts/account.ts'
import { createWorkspace } from '../accounts/create-workspace.ts'
import { createKey } from '../api-keys/create-key.ts'
import { revokeKey } from '../api-keys/revoke-key.ts'
import { createCustomer } from '../customers/create-customer.ts'
import type { DomainError } from '../errors/domain-error.ts'
import type { Unit } from '../kernel/operation.ts'
import { ok, type Result, type ResultAsync } from '../kernel/result.ts'
import { showPayment } from '../payments/move-payment.ts'
import type { Payment } from '../payments/payment.ts'
import { voidPayment } from '../payments/void-payment.ts'
import type { Scope } from '../ports/store.ts'
import { circumstances, inUnit, recoveryOf, type Services } from './services.ts'

/** What the dashboard does, as functions of the library: no HTTP, no API key. */
export function createAdmin(services: Services) {
  const inScope =
    <Input, Value, Refusal extends DomainError>(run: (unit: Unit, input: Input) => PromiseLike<Result<Value, Refusal>>) =>
    (scope: Scope, input: Input): ResultAsync<Value, Refusal> =>
      inUnit<Value, Refusal>(services, circumstances(services, scope), (unit) => run(unit, input))

  return {
    workspaces: {
      create(input: { name: string; api_enabled?: boolean; refunds_enabled?: boolean }): Promise<WorkspaceRow> {
        const { store, ids, clock } = services
        return createWorkspace({ store, ids, now_ms: clock.now() }, input)
      },
    },
    keys: {
      /** Answers `{ id, key }`: the key is shown this once. */
      create: inScope(createKey),
      revoke: inScope(revokeKey),
    },
    customers: {
      create: inScope(createCustomer),
    },
    payments: {
      /** Stops a payment that has not reached the processor's batch; `conflict` after. */
      async void(scope: Scope, id: string): Promise<Result<Payment, DomainError>> {
        return (await voidPayment(recoveryOf(services, scope), id)).andThen((row) => ok(showPayment(row)))
      },
    },
  }
}

export type Admin = ReturnType<typeof createAdmin>
