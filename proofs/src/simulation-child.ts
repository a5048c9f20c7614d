import { simulatePortion } from './simulation.ts'

process.on('message', async ({ first, count }: { first: number; count: number }) => {
  process.send?.(await simulatePortion(first, count))
})
