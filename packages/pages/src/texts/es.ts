import type { Texts } from './en.ts'

export const es: Texts = {
  sandbox: 'Entorno de pruebas: aquí no se mueve dinero real.',

  pay: 'Pagar',
  paying_to: (amount, merchant) => `${amount} a ${merchant}`,
  refused_title: (title) => `Sin pagar: ${title}`,
  amount: 'Importe',
  description: 'Concepto',
  reference: 'Referencia',
  way_to_pay: '¿Cómo desea pagar?',

  card: 'Tarjeta',
  card_holder: 'Nombre en la tarjeta',
  card_token: 'Token de tarjeta de prueba',
  bank_account: 'Cuenta bancaria de EE. UU.',
  bank_account_holder: 'Titular de la cuenta',
  bank_account_token: 'Token de cuenta de prueba',
  token_hint: (sample) =>
    `Por ejemplo, ${sample}. No escriba aquí nunca un número real de tarjeta o de cuenta.`,
  postal_code: 'Código postal',
  accept_authorization: 'He leído esta autorización y la acepto.',
  numbers_kept_apart:
    'Los números de tarjeta y de cuenta van directamente al servicio de pago. Esta página nunca los ve.',
  script_needed: 'Para pagar aquí, permita JavaScript en esta página y ábrala de nuevo.',
  fields_missing:
    'No se pudieron cargar los campos para sus datos. Compruebe su conexión y vuelva a abrir esta página con el enlace que recibió.',
  not_set_up_live:
    'Esta página todavía no está preparada para recibir tarjetas. Por ahora no se puede pagar nada aquí.',
  bank_not_set_up_live:
    'Esta página todavía no está preparada para pagos desde una cuenta bancaria. Por ahora no se puede pagar nada aquí.',
  not_set_up_sandbox:
    'Esta página no tiene ninguna forma de pago de prueba. Por ahora no se puede pagar nada aquí.',

  in_flight: 'Su pago se está procesando',
  in_flight_text: 'Estamos a la espera del resultado. No hace falta que pague otra vez.',
  check_again: 'Comprobar de nuevo',
  came_to_nothing: 'El pago no se completó. No se cobró nada. Inténtelo de nuevo.',
  expired: 'Esta página ha caducado',
  expired_text: 'No se cobró nada.',
  return_to: (host) => `Volver a ${host}`,

  already_paid: (text) => `Esto ya se había pagado. ${text}`,
  paid: 'Pagado',
  paid_text: 'Gracias. Hemos recibido su pago.',
  approved_text: 'Gracias. Su pago fue aprobado.',
  debit_accepted: 'Cargo bancario aceptado',
  debit_accepted_text:
    'Gracias. El dinero saldrá de su cuenta en los próximos días; no hace falta que pague otra vez.',
  failed: 'El pago ha fallado',
  failed_text: 'Su banco rechazó el cargo: no se le ha cobrado nada. Póngase en contacto con el comercio.',
  canceled: 'El pago fue anulado',
  canceled_text: 'No se cobró nada. Póngase en contacto con el comercio.',
  returned: 'El pago fue devuelto',
  returned_text: 'Su banco retiró el pago. Póngase en contacto con el comercio.',

  invoice: 'Factura',
  invoice_numbered: (number) => `Factura ${number}`,
  invoice_from: (invoice, merchant) => `${invoice} de ${merchant}`,
  issued: 'Fecha de emisión',
  due_date: 'Vencimiento',
  past_due: 'Vencida',
  total: 'Total',
  already_received: 'Pagado',
  pending: 'En curso',
  written_off: 'Condonado',
  due: 'Pendiente de pago',
  early_payment_discount: 'Descuento por pronto pago',
  to_pay_today: 'A pagar hoy',
  save_by: (amount, day) => `Ahorra ${amount} si paga hasta el ${day} (UTC).`,
  invoice_pending_text:
    'Mientras tanto no debe nada más. Con tarjeta tarda unos minutos; desde una cuenta bancaria, unos días.',
  invoice_paid_text: 'Gracias. No queda nada por pagar en esta factura.',
  nothing_due: 'No hay nada que pagar',
  nothing_due_text: 'No tiene que pagar esta factura.',
  invoice_canceled: 'Esta factura fue anulada',
  invoice_canceled_text: 'No hay nada que pagar.',

  no_such_page: 'Esta página no existe',
  no_such_page_text: 'Revise la dirección o pregunte a quien se la envió.',
  dead_link: 'Este enlace ya no funciona',
  dead_link_text: 'Pida al comercio que le envíe la factura de nuevo.',
  dead_link_not_charged_text:
    'Ahora mismo no se ha cobrado nada. Pida al comercio que le envíe la factura de nuevo.',
  fault: 'Ha habido un problema por nuestra parte',
  fault_text: 'Abra esta página de nuevo: indica si se hizo algún pago.',
  wrong_method: 'Eso no se puede hacer aquí',
  wrong_method_text: 'Abra esta página en un navegador.',
  foreign_form: 'Este formulario no se aceptó',
  foreign_form_text:
    'El formulario se envió desde otro sitio. Abra la página y use el formulario que hay en ella.',

  form_too_large: 'Es más de lo que cabe en este formulario.',
  form_unknown: 'Use el formulario de esta página.',
  choose_how_to_pay: 'Elija cómo desea pagar.',
  details_missing: 'Faltan los datos de su tarjeta o de su cuenta. No se cobró nada. Introdúzcalos.',
  name_missing: 'Falta el nombre. No se cobró nada. Introdúzcalo.',
  postal_code_missing: 'Falta el código postal. No se cobró nada. Introdúzcalo.',
  not_charged_now: 'Ahora mismo no se ha cobrado nada.',
  amount_changed: 'El importe ha cambiado desde que se abrió esta página. Este formulario no cobró nada.',
  too_many_attempts:
    'Demasiados intentos: este no le ha cobrado nada. Espere un minuto e inténtelo de nuevo.',

  card_declined: 'Su tarjeta fue rechazada. No se cobró nada. Use otra tarjeta o inténtelo de nuevo.',
  insufficient_funds: 'Su tarjeta fue rechazada por falta de fondos. No se cobró nada. Use otra tarjeta.',
  unreachable: 'No se pudo contactar con el servicio de pago. No se cobró nada. Inténtelo de nuevo.',
  card_unverified: 'No se pudo verificar su tarjeta. No se cobró nada. Revise los datos o use otra tarjeta.',
  card_expired: 'Esta tarjeta ha caducado. No se cobró nada. Use otra tarjeta.',
  bank_account_unverified: 'No se pudo verificar su cuenta. No se cobró nada. Use otra cuenta.',
  number_in_the_clear:
    'Escriba un token de prueba, nunca un número de tarjeta o de cuenta. No se ha guardado nada de él.',
  authorization_required: 'Solo se puede cargar en una cuenta si acepta la autorización.',
  authorization_changed: 'La autorización ha cambiado. Léala de nuevo.',
  not_set_up: 'Esta forma de pago no está disponible aquí. No se cobró nada.',
  no_such_token: 'Ese token de prueba no existe. No se cobró nada.',
  check_details: 'Revise los datos que ha escrito. No se cobró nada.',
  sent_before:
    'Este formulario ya se había enviado con otros datos. Si todavía desea pagar, envíelo otra vez.',
  unsure:
    'No se pudo contactar con el servicio de pago. Si esta página todavía pide un pago, no se cobró nada: inténtelo de nuevo.',
  not_paid: 'No se pudo hacer el pago. Si esta página todavía lo pide, no se cobró nada: inténtelo de nuevo.',
}
