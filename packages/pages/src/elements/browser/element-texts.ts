import type { Locale } from '../protocol.ts'

/** A text named like an error code of the API is what a payer reads for that code; for any other code, `not_taken`. */
const en = {
  card: 'Card details',
  bank_account: 'Bank account details',
  accept: 'I have read this authorization and accept it.',
  accept_first: 'Accept the authorization to pay from this account.',
  unavailable: 'The fields could not be loaded. Check your connection and open this page again.',
  name_missing: 'Enter the name of the holder.',
  postal_code_missing: 'Enter the postal code.',
  no_answer: 'Your details could not be sent. Try again: you will not be charged twice.',
  card_expired: 'This card has expired. Use another card.',
  card_verification_failed: 'The card was not accepted. Check its details, or use another card.',
  bank_account_verification_failed:
    'The account could not be verified. Check its numbers, or use another account.',
  payment_method_session_inactive: 'This page can no longer take your details. Open it again.',
  rate_limit_exceeded: 'Too many attempts. Wait a minute, then try again.',
  not_taken: 'Your details were not accepted. Open this page again, or ask the merchant.',
}

export type ElementText = keyof typeof en

export const element_texts: Record<Locale, Record<ElementText, string>> = {
  en,
  fr: {
    card: 'Coordonnées de la carte',
    bank_account: 'Coordonnées bancaires',
    accept: 'J’ai lu cette autorisation et je l’accepte.',
    accept_first: 'Acceptez l’autorisation pour payer depuis ce compte.',
    unavailable: 'Les champs n’ont pas pu être chargés. Vérifiez votre connexion et rouvrez cette page.',
    name_missing: 'Saisissez le nom du titulaire.',
    postal_code_missing: 'Saisissez le code postal.',
    no_answer: 'Vos données n’ont pas pu être envoyées. Réessayez : vous ne serez pas débité deux fois.',
    card_expired: 'Cette carte a expiré. Utilisez une autre carte.',
    card_verification_failed:
      'La carte n’a pas été acceptée. Vérifiez ses données ou utilisez une autre carte.',
    bank_account_verification_failed:
      'Le compte n’a pas pu être vérifié. Vérifiez ses numéros ou utilisez un autre compte.',
    payment_method_session_inactive: 'Cette page ne peut plus recevoir vos données. Rouvrez-la.',
    rate_limit_exceeded: 'Trop de tentatives. Attendez une minute, puis réessayez.',
    not_taken: 'Vos données n’ont pas été acceptées. Rouvrez cette page ou contactez le marchand.',
  },
  es: {
    card: 'Datos de la tarjeta',
    bank_account: 'Datos de la cuenta bancaria',
    accept: 'He leído esta autorización y la acepto.',
    accept_first: 'Acepte la autorización para pagar desde esta cuenta.',
    unavailable: 'No se pudieron cargar los campos. Compruebe su conexión y vuelva a abrir esta página.',
    name_missing: 'Introduzca el nombre del titular.',
    postal_code_missing: 'Introduzca el código postal.',
    no_answer: 'No se pudieron enviar sus datos. Inténtelo de nuevo: no se le cobrará dos veces.',
    card_expired: 'Esta tarjeta ha caducado. Use otra tarjeta.',
    card_verification_failed: 'La tarjeta no fue aceptada. Compruebe sus datos o use otra tarjeta.',
    bank_account_verification_failed:
      'No se pudo verificar la cuenta. Compruebe sus números o use otra cuenta.',
    payment_method_session_inactive: 'Esta página ya no puede recibir sus datos. Vuelva a abrirla.',
    rate_limit_exceeded: 'Demasiados intentos. Espere un minuto e inténtelo de nuevo.',
    not_taken: 'Sus datos no fueron aceptados. Vuelva a abrir esta página o pregunte al comercio.',
  },
}

/** What a payer is told of an error of the API. Errors that only the merchant can fix are not for the payer to read. */
export function textForError(code: string): ElementText {
  return Object.hasOwn(en, code) ? (code as ElementText) : 'not_taken'
}

/** The `locale` attribute, else the page's language, else the browser's, else English. */
export function localeOf(element: HTMLElement): Locale {
  const wanted = [element.getAttribute('locale'), langAround(element), ...navigator.languages]
  return wanted.map((tag) => (tag ?? '').slice(0, 2).toLowerCase()).find(isLocale) ?? 'en'
}

/** As the browser inherits `lang`: across shadow roots, too. */
function langAround(element: Element): string | undefined {
  const named = element.closest<HTMLElement>('[lang]')
  const root = element.getRootNode()
  if (named === null && root instanceof ShadowRoot) return langAround(root.host)
  return named?.lang
}

function isLocale(tag: string): tag is Locale {
  return tag in element_texts
}
