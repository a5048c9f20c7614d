import type { Unit } from '../kernel/operation.ts'
import { asOf } from './payment-method-machine.ts'

/** Saves a method that is due in its state as of now. */
export async function expirePaymentMethod({ tx, now }: Unit, id: string): Promise<void> {
  const method = await tx.payment_methods.lock(id)
  if (method) await tx.payment_methods.update(asOf(method, now))
}
