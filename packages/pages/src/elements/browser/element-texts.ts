import type { Locale } from '../protocol.ts'

const en = {
  card: 'Card details',
  bank_account: 'Bank account details',
  accept: 'I have read this authorization and accept it.',
  accept_first: 'Accept the authorization to pay from this account.',
  unavailable: 'The fields could not be loaded. Check your connection and open this page again.',
  no_answer: 'Your details could not be sent. Try again: you are not charged twice.',
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
    no_answer: 'Vos données n’ont pas pu être envoyées. Réessayez : vous ne serez pas débité deux fois.',
  },
  es: {
    card: 'Datos de la tarjeta',
    bank_account: 'Datos de la cuenta bancaria',
    accept: 'He leído esta autorización y la acepto.',
    accept_first: 'Acepte la autorización para pagar desde esta cuenta.',
    unavailable: 'No se pudieron cargar los campos. Compruebe su conexión y vuelva a abrir esta página.',
    no_answer: 'No se pudieron enviar sus datos. Inténtelo de nuevo: no se le cobrará dos veces.',
  },
}

/** The `locale` attribute, else the language of the page around, else the browser's, else English. */
export function localeOf(element: HTMLElement): Locale {
  const around = element.closest<HTMLElement>('[lang]')?.lang
  const wanted = [element.getAttribute('locale'), around, ...navigator.languages]
  return wanted.map((tag) => (tag ?? '').slice(0, 2).toLowerCase()).find(isLocale) ?? 'en'
}

function isLocale(tag: string): tag is Locale {
  return tag in element_texts
}
