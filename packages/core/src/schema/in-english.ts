import en from 'zod/v4/locales/en.js'

/** For `safeParse`: messages in English, whatever language the host has given zod. All copies of it in a process share that. */
export const in_english = { error: en().localeError }
