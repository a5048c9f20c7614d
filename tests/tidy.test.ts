import { describe, expect, it } from 'vitest'
import { unansweredCodes } from '../tools/documents/errors.ts'
import { documents } from '../tools/documents.ts'
import { readPackages, readText } from '../tools/packages.ts'
import { bannedCalls } from './tidy/calls.ts'
import { coreLayers, cycles, operationsApart, packageStar } from './tidy/imports.ts'
import { badMetadata, overBudget, uncalledSuites, undeclaredImports } from './tidy/packages.ts'
import {
  anyCasts,
  barrels,
  longFiles,
  longFunctions,
  neverthrowImports,
  silencingComments,
  unrunTests,
} from './tidy/shape.ts'
import { type Rule, readSources } from './tidy/sources.ts'

const everything = readSources(['packages', 'examples', 'benchmarks', 'proofs', 'tests', 'tools'])
const sources = everything.filter(({ path }) => /^(packages\/[^/]+|benchmarks|proofs)\/src\//.test(path))
const packages = readPackages()

/** Rules about what ships. */
const of_sources: Record<string, Rule> = {
  'files have at most 250 lines': longFiles,
  'functions have at most 60 lines': longFunctions,
  'core imports in one direction': coreLayers,
  'no operation imports another': operationsApart,
  'packages are a star around core': packageStar,
  'there are no barrels inside a package': barrels,
  'neverthrow is imported in one file': neverthrowImports,
  'time, chance and timers come in through ports': bannedCalls,
}

/** Rules about every file, tests included. */
const of_everything: Record<string, Rule> = {
  'no imports run in a circle': cycles,
  'every test runs': unrunTests,
  'nothing is cast to any': anyCasts,
  'no comment silences a tool or puts work off': silencingComments,
}

describe('the house is tidy', () => {
  it.each(Object.entries(of_sources))('%s', (_sentence, rule) => expect(rule(sources)).toEqual([]))

  it.each(Object.entries(of_everything))('%s', (_sentence, rule) => expect(rule(everything)).toEqual([]))

  it('packages depend on what their budget names', () => expect(overBudget(packages)).toEqual([]))

  it('packages declare what they import', () => expect(undeclaredImports(packages, sources)).toEqual([]))

  it('packages can be installed by others', () => expect(badMetadata(packages)).toEqual([]))

  it('every adapter calls the suite of its port', () => expect(uncalledSuites(packages)).toEqual([]))
})

it('every error of the catalogue can be answered', () =>
  expect(unansweredCodes(), 'no operation lists these, nor tools/documents/errors.ts').toEqual([]))

describe('written documents say what the sources say (npm run docs)', () => {
  it.each(Object.entries(documents))('%s', async (path, render) =>
    expect(readText(path)).toBe(await render()),
  )
})
