import { elementsScripts } from './documents/elements.ts'
import { errorsDocument } from './documents/errors.ts'
import { exportsDocument } from './documents/exports.ts'
import { lifecyclesDocument } from './documents/lifecycles.ts'
import { migrationTexts } from './documents/migrations.ts'
import { openApiFile } from './documents/openapi.ts'
import { operationsDocument } from './documents/operations.ts'

/** The generated files, by path from the root. A test checks that each is what would be generated now. */
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
