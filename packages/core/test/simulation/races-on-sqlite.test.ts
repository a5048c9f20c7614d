import { describeRaces } from '../../../testing/src/simulation/race.ts'
import { races } from './races.ts'
import { on_sqlite } from './races-stores.ts'

describeRaces(races, on_sqlite)
