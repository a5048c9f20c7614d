import { workThrough } from './portions.ts'
import { simulatePortion } from './simulation.ts'

workThrough(simulatePortion)
