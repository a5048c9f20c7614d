import type { Locale } from '../protocol.ts'

const en = {
  number: 'Card number',
  expiry: 'Expiry date',
  expiry_hint: 'MM / YY',
  cvc: 'Security code',
  cvc_hint: '3 digits, on the back of the card',
  cvc_hint_amex: '4 digits, on the front of the card',
  routing_number: 'Routing number',
  account_number: 'Account number',
  number_incomplete: 'Enter the whole card number.',
  number_invalid: 'This is not a card number. Check its digits.',
  expiry_incomplete: 'Enter the month and the year.',
  expiry_invalid: 'This is not an expiry date. Check the month and the year.',
  expiry_past: 'This card has expired.',
  cvc_incomplete: 'Enter the whole security code.',
  routing_number_incomplete: 'Enter all 9 digits of the routing number.',
  routing_number_invalid: 'This is not a routing number. Check its digits.',
  account_number_incomplete: 'Enter the whole account number.',
  test_card_only: 'This is a sandbox: use a test card, such as 4242 4242 4242 4242.',
  test_account_only:
    'This is a sandbox: use a test account, such as 000123456789 with the routing number 110000000.',
  unavailable: 'Your details could not be sent. Nothing was charged. Try again.',
}

/** Every text of the frames, by what it is for. */
export type FrameText = keyof typeof en

export const frame_texts: Record<Locale, Record<FrameText, string>> = {
  en,
  fr: {
    number: 'Numéro de carte',
    expiry: 'Date d’expiration',
    expiry_hint: 'MM / AA',
    cvc: 'Code de sécurité',
    cvc_hint: '3 chiffres, au dos de la carte',
    cvc_hint_amex: '4 chiffres, au recto de la carte',
    routing_number: 'Numéro d’acheminement (ABA)',
    account_number: 'Numéro de compte',
    number_incomplete: 'Saisissez le numéro de carte en entier.',
    number_invalid: 'Ce numéro de carte n’existe pas. Vérifiez les chiffres.',
    expiry_incomplete: 'Saisissez le mois et l’année.',
    expiry_invalid: 'Cette date n’est pas valable. Vérifiez le mois et l’année.',
    expiry_past: 'Cette carte a expiré.',
    cvc_incomplete: 'Saisissez le code de sécurité en entier.',
    routing_number_incomplete: 'Saisissez les 9 chiffres de ce numéro.',
    routing_number_invalid: 'Ce numéro d’acheminement n’existe pas. Vérifiez les chiffres.',
    account_number_incomplete: 'Saisissez le numéro de compte en entier.',
    test_card_only: 'Mode test : utilisez une carte de test, par exemple 4242 4242 4242 4242.',
    test_account_only:
      'Mode test : utilisez un compte de test, par exemple 000123456789 avec le numéro d’acheminement 110000000.',
    unavailable: 'Vos données n’ont pas pu être envoyées. Rien n’a été débité. Réessayez.',
  },
  es: {
    number: 'Número de tarjeta',
    expiry: 'Fecha de caducidad',
    expiry_hint: 'MM / AA',
    cvc: 'Código de seguridad',
    cvc_hint: '3 cifras, en el reverso de la tarjeta',
    cvc_hint_amex: '4 cifras, en el anverso de la tarjeta',
    routing_number: 'Número de ruta (ABA)',
    account_number: 'Número de cuenta',
    number_incomplete: 'Introduzca el número de tarjeta completo.',
    number_invalid: 'Este número de tarjeta no existe. Compruebe las cifras.',
    expiry_incomplete: 'Introduzca el mes y el año.',
    expiry_invalid: 'Esta fecha no es válida. Compruebe el mes y el año.',
    expiry_past: 'Esta tarjeta ha caducado.',
    cvc_incomplete: 'Introduzca el código de seguridad completo.',
    routing_number_incomplete: 'Introduzca las 9 cifras de este número.',
    routing_number_invalid: 'Este número de ruta no existe. Compruebe las cifras.',
    account_number_incomplete: 'Introduzca el número de cuenta completo.',
    test_card_only: 'Modo de prueba: use una tarjeta de prueba, por ejemplo 4242 4242 4242 4242.',
    test_account_only:
      'Modo de prueba: use una cuenta de prueba, por ejemplo 000123456789 con el número de ruta 110000000.',
    unavailable: 'No se pudieron enviar sus datos. No se ha cobrado nada. Inténtelo de nuevo.',
  },
}
