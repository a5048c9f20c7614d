import { describeRaces } from '../../../testing/src/simulation/race.ts'
import { races } from './races.ts'
import { on_sqlite_file } from './races-stores.ts'

describeRaces(races, on_sqlite_file)
