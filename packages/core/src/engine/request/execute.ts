import { type DomainError, fail } from '../../errors/domain-error.ts'
import type { Caller, Operation, TestHelperOperation } from '../../kernel/operation.ts'
import { err, type Result } from '../../kernel/result.ts'
import { executeUnderKey } from '../idempotency/execute-under-key.ts'
import { hashedKey, isIdempotencyKey } from '../idempotency/key-decisions.ts'
import { operationNamed } from '../operations.ts'
import type { UnitServices } from '../services.ts'
import { contextOf, inUnit, unitsOf } from '../unit-of-work/unit-of-work.ts'
import { type Answer, answerOf } from './answer.ts'
import { askProcessor } from './ask-processor.ts'
import { askedBy, type OperationRequest, readInput, scopeOf } from './request.ts'

/** The engine's part of a request's checks: scope, Idempotency-Key, input, and then the operation itself. */
export async function execute(
  services: UnitServices,
  request: OperationRequest,
  operation: Operation | TestHelperOperation = operationNamed(request.operation),
): Promise<Answer> {
  const refused = refusedRequest(operation, request)
  if (refused) return answerOf(refused, request)
  const answering = () => runRequest(services, operation, request)
  return operation.kind === 'remote' ? services.keepOpen(answering) : answering()
}

/** Reads the input, and runs the operation under the request's key, if it has one. */
async function runRequest(
  services: UnitServices,
  operation: Operation | TestHelperOperation,
  request: OperationRequest,
): Promise<Answer> {
  const { idempotency_key: key, caller } = request
  const input = readInput(operation, request)
  if (operation.kind === 'command' && input.isOk())
    await operation.before?.(unitsOf(services, scopeOf(caller)), input.value)
  if (operation.kind !== 'query' && key !== undefined) {
    // Anybody may have a publishable key, so the Idempotency-Keys sent with it are kept apart from the merchant's own.
    const idempotency_key = caller.key === 'publishable' ? hashedKey('browser', key) : key
    return executeUnderKey(services, operation, { ...request, input, idempotency_key })
  }
  if (input.isErr()) return answerOf(input, request)
  return answerOf(await runWithoutKey(services, operation, { caller, input: input.value }), request)
}

/** No secret key can have the scope that these requests need. */
const for_browsers = 'This request needs a publishable key.'

/** Checks the caller, the scope, and the switches and headers an operation depends on. Null if the request may go on. */
function refusedRequest(
  operation: Operation | TestHelperOperation,
  { caller, idempotency_key }: OperationRequest,
) {
  const { access } = operation
  if (caller?.scopes === undefined)
    throw new TypeError('A caller is what `await engine.caller(scope)` gives.')
  const on_page = caller.key === 'page'
  if (on_page !== (access.key === 'page')) return fail('insufficient_scope')
  if (access.key === 'page') return null
  if (access.key === 'secret' && caller.key === 'publishable') return fail('publishable_key_not_allowed')
  const needed =
    access.key === 'browser' || caller.key === 'publishable' ? 'payment_methods:tokenize' : access.scope
  if (needed !== null && !caller.scopes.includes(needed))
    return fail('insufficient_scope', access.key === 'browser' ? { message: for_browsers } : {})
  if (operation.kind === 'test_helper' && caller.livemode) return fail('resource_missing')
  if (operation.needs && !caller.workspace[operation.needs]) return fail('refunds_disabled')
  if (operation.kind === 'query') return null
  const required = operation.kind === 'remote' && operation.idempotency_key === 'required'
  if (required && idempotency_key === undefined) return fail('idempotency_key_required')
  if (idempotency_key !== undefined && !isIdempotencyKey(idempotency_key))
    return fail('idempotency_key_invalid')
  return null
}

async function runWithoutKey(
  services: UnitServices,
  operation: Operation | TestHelperOperation,
  { caller, input }: { caller: Caller; input: unknown },
): Promise<Result<unknown, DomainError>> {
  const context = contextOf(services, scopeOf(caller))
  switch (operation.kind) {
    case 'query':
      return services.store.read(context.scope, (rows) =>
        operation.run(askedBy(caller, { ...context, rows }), input),
      )
    case 'test_helper':
      return operation.run(caller, input)
    case 'command':
      return inUnit(services, context, (unit) => operation.run(askedBy(caller, unit), input))
    case 'remote': {
      const intent = await inUnit(services, context, (unit) =>
        operation.reserve(askedBy(caller, unit), input),
      )
      if (intent.isErr()) return err(intent.error)
      const asking = { operation, caller, intent: intent.value }
      const kept = await askProcessor(services, context, asking, (outcome) =>
        inUnit(services, contextOf(services, context.scope), (unit) =>
          operation.record(askedBy(caller, unit), intent.value, outcome),
        ),
      )
      return kept.andThen((record) => operation.answer(record))
    }
  }
}
