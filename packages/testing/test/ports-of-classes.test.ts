import { memoryStore, type Processor, type Store } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import {
  crashingStore,
  heldProcessor,
  interleaved,
  openSandbox,
  pay,
  seededRandom,
  simulate,
} from '../src/index.ts'

describe('a port that is an object of a class', () => {
  it.each<[string, (store: Store) => Store]>([
    ['crashingStore', (store) => crashingStore(store, () => 'none')],
    ['interleaved', (store) => interleaved({ store, processor: processorOfClass() }, seededRandom(1)).store],
  ])('is a whole store behind %s', async (_, behind) => {
    const sandbox = await openSandbox({ store: behind(storeOfClass()) })
    expect((await pay(sandbox, 'tok_test_visa')).isOk()).toBe(true)
    expect(await sandbox.engine.verify()).toMatchObject({ violations: [], complete: true })
    expect(await sandbox.store.migrations.pending()).toEqual([])
    await sandbox.store.close()
  })

  it.each<[string, (processor: Processor) => Processor]>([
    ['heldProcessor', (processor) => heldProcessor(processor, 'before').processor],
    [
      'interleaved',
      (processor) => interleaved({ store: storeOfClass(), processor }, seededRandom(1)).processor,
    ],
  ])('is a whole processor behind %s', async (_, behind) => {
    const processor = behind(processorOfClass())
    expect(processor.types).toEqual(simulatedProcessor().types)
    expect(await processor.nextNotificationAt()).toBeNull()
  })

  it('has the same histories as any other', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const ports = { store: storeOfClass(), processor: bankOfClass }
      expect(await simulate({ seed, ...ports })).toEqual(await simulate({ seed, processor: bank }))
    }
  })
})

const bank = () => {
  const processor = simulatedProcessor()
  return { processor, ledger: processor.ledger }
}

const bankOfClass = () => {
  const { processor, ledger } = bank()
  return { processor: processorOfClass(processor), ledger }
}

const storeOfClass = () => new (classOf<Store>(memoryStore()))()
const processorOfClass = (sound: Processor = simulatedProcessor()) => new (classOf(sound))()

/** A class with what the port has: on its prototype, and usable on its own objects only, as with private fields. */
function classOf<Port extends object>(port: Port): new () => Port {
  const own = new WeakSet<object>()
  class OfClass {
    constructor() {
      own.add(this)
    }
  }
  for (const name of Object.keys(port)) {
    Object.defineProperty(OfClass.prototype, name, {
      get(this: object) {
        const value: unknown = Reflect.get(port, name)
        if (typeof value !== 'function') return value
        return function (this: object, ...given: unknown[]) {
          if (!own.has(this)) throw new TypeError(`${name} was called on another object`)
          return value.apply(port, given)
        }
      },
    })
  }
  return OfClass as unknown as new () => Port
}
