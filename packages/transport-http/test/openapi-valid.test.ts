import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { openApiDocument } from '../src/openapi/document.ts'

it('is a valid OpenAPI 3.1 document to a validator that is not ours', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(openApiDocument())
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

it('would not be, with a response that describes nothing', async () => {
  const document = openApiDocument()
  const broken = { ...document, paths: { '/account': { get: { responses: { 200: {} } } } } }
  expect((await new Validator().validate(broken)).valid).toBe(false)
})

it('is valid to a second one, which also lints it', async () => {
  const snapshot = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  // It ends with another status, and this rejects, where there is an error.
  const { stderr } = await promisify(execFile)('redocly', ['lint', snapshot], { env })
  expect(stderr).toContain('Your API description is valid')
})
