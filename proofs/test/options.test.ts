import { expect, it } from 'vitest'
import { crashes } from '../src/crashes.ts'
import { histories } from '../src/histories.ts'
import { plantedBugs } from '../src/planted-bugs/prove.ts'
import { simulation } from '../src/simulation.ts'

it.each([
  ['simulation', simulation, ['--histories', '1_000'], '--histories is a whole number, not 1_000.'],
  [
    'simulation',
    simulation,
    ['--seed', '1', '--processes', 'all'],
    '--processes is a whole number, not all.',
  ],
  ['histories', histories, ['--count', '100k'], '--count is a whole number, not 100k.'],
  ['planted-bugs', plantedBugs, ['--seed', 'one'], '--seed is a whole number, not one.'],
  ['crashes', crashes, ['--flow', 'flies'], 'There is no flow of a process that "flies".'],
])('the proof %s does not pass by proving nothing', async (_, prove, options, says) => {
  await expect(prove(options)).rejects.toThrow(says)
})
