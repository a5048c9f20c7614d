import en from 'zod/v4/locales/en.js'

/** For `safeParse`: messages in English, whatever language the host has set, which all copies of zod in a process share. */
export const in_english = { error: en().localeError }
