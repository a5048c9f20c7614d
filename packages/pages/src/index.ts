export { createTokenizer, type TokenizerHandler, type TokenizerOptions } from './elements/create-tokenizer.ts'
export type {
  ConfirmedSession,
  ConfirmOptions,
  QuittanceBankAccount,
  QuittanceCard,
} from './elements/declarations.ts'
export { elementsScript } from './elements/elements-script.ts'
export type { FieldsChange, FieldsError } from './elements/protocol.ts'
export { type HostedPagesOptions, hostedPages } from './hosted-pages.ts'
export type { ElementFrames } from './made-tokens.ts'
export type { HostedPages, PageRequest, PageResponse } from './message.ts'
