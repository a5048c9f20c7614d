import { types } from 'node:util'

/** Also for errors of another realm: Jest runs tests in one of its own, where what Node throws is no instance of `Error`. */
export function isError(fault: unknown): fault is Error {
  return fault instanceof Error || types.isNativeError(fault)
}
