import { elementsScripts } from './documents/elements.ts'
import { errorsDocument } from './documents/errors.ts'
import { exportsDocument } from './documents/exports.ts'
import { lifecyclesDocument } from './documents/lifecycles.ts'
import { migrationTexts } from './documents/migrations.ts'
import { openApiFile } from './documents/openapi.ts'
import { operationsDocument } from './documents/operations.ts'

/** What is written from the sources, by its path from the root. A test holds each to what would be written now. */
export const documents: Record<string, () => string | Promise<string>> = {
  'docs/lifecycles.md': lifecyclesDocument,
  'docs/errors.md': errorsDocument,
  'docs/operations.md': operationsDocument,
  'docs/openapi.json': openApiFile,
  'tests/exports.json': exportsDocument,
  'packages/pages/src/elements/scripts.ts': elementsScripts,
  'packages/store-sqlite/src/migration-texts.ts': () => migrationTexts('store-sqlite'),
  'packages/store-postgres/src/migration-texts.ts': () => migrationTexts('store-postgres'),
}
