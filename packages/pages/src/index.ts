export { createTokenizer, type TokenizerHandler, type TokenizerOptions } from './elements/create-tokenizer.ts'
export { elementsScript } from './elements/elements-script.ts'
export { hostedPages } from './hosted-pages.ts'
export type { HostedPages, PageRequest, PageResponse } from './message.ts'
