import type { Breach } from './breach.ts'
import { keys } from './breaches-of-keys.ts'
import { sent } from './breaches-of-messages.ts'
import { payments, refunds } from './breaches-of-money.ts'
import { collected, sold } from './breaches-of-sales.ts'

export const breaches: readonly Breach[] = [...payments, ...refunds, ...collected, ...sold, ...sent, ...keys]
