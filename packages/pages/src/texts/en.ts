/** Everything a page says in its own words. The other languages have the same entries, or do not compile. */
export const en = {
  sandbox: 'Sandbox: no real money moves on this page.',

  pay: 'Pay',
  paying_to: (amount: string, merchant: string) => `${amount} to ${merchant}`,
  refused_title: (title: string) => `Not paid: ${title}`,
  amount: 'Amount',
  description: 'For',
  reference: 'Reference',
  way_to_pay: 'How would you like to pay?',

  card: 'Card',
  card_holder: 'Name on card',
  card_token: 'Sandbox card token',
  bank_account: 'US bank account',
  bank_account_holder: 'Name on account',
  bank_account_token: 'Sandbox bank account token',
  token_hint: (sample: string) => `For example ${sample}. Never type a real card or account number here.`,
  postal_code: 'Postal code',
  accept_authorization: 'I have read this authorization and accept it.',
  numbers_kept_apart:
    'Card and account numbers go straight to the payment service. This page never sees them.',
  script_needed: 'To pay here, please allow JavaScript for this page and open it again.',
  fields_missing:
    'The fields for your details could not be loaded. Check your connection, and open this page again using the link that you were given.',
  not_set_up_live: 'Card collection is not set up on this page yet. Nothing can be paid here for now.',
  bank_not_set_up_live:
    'Payment from a bank account is not set up on this page yet. Nothing can be paid here for now.',
  not_set_up_sandbox: 'No sandbox payment method is set up for this page. Nothing can be paid here for now.',

  in_flight: 'Your payment is being processed',
  in_flight_text: 'We are waiting for the outcome. You do not need to pay again.',
  check_again: 'Check again',
  came_to_nothing: 'The payment did not go through. Nothing was charged. Please try again.',
  expired: 'This page has expired',
  expired_text: 'Nothing was charged.',
  return_to: (host: string) => `Return to ${host}`,

  already_paid: (text: string) => `This has already been paid. ${text}`,
  paid: 'Paid',
  paid_text: 'Thank you. Your payment was received.',
  approved_text: 'Thank you. Your payment was approved.',
  debit_accepted: 'Bank debit accepted',
  debit_accepted_text:
    'Thank you. The money will leave your bank account within a few days. You do not need to pay again.',
  failed: 'The payment failed',
  failed_text: 'Your bank refused the debit, so no money was taken. Please contact the merchant.',
  canceled: 'The payment was canceled',
  canceled_text: 'Nothing was charged. Please contact the merchant.',
  returned: 'The payment was returned',
  returned_text: 'Your bank reversed the payment. Please contact the merchant.',

  invoice: 'Invoice',
  invoice_numbered: (number: string) => `Invoice ${number}`,
  invoice_from: (invoice: string, merchant: string) => `${invoice} from ${merchant}`,
  issued: 'Issued',
  due_date: 'Due date',
  past_due: 'Past due',
  total: 'Total',
  already_received: 'Paid',
  pending: 'Pending',
  written_off: 'Written off',
  due: 'Due now',
  early_payment_discount: 'Early-payment discount',
  to_pay_today: 'To pay today',
  save_by: (amount: string, day: string) => `You save ${amount} if you pay by ${day} (UTC).`,
  invoice_pending_text:
    'Nothing more is due while your payment is processed. That takes minutes with a card, a few days with a bank account.',
  invoice_paid_text: 'Thank you. Nothing is due on this invoice.',
  nothing_due: 'Nothing is due',
  nothing_due_text: 'You do not need to pay this invoice.',
  invoice_canceled: 'This invoice was canceled',
  invoice_canceled_text: 'Nothing is due on it.',

  no_such_page: 'There is no such page',
  no_such_page_text: 'Please check the address, or ask the person who sent it to you.',
  dead_link: 'This link no longer works',
  dead_link_text: 'Please ask the merchant to send the invoice again.',
  dead_link_not_charged_text:
    'Nothing was charged just now. Please ask the merchant to send the invoice again.',
  fault: 'Something went wrong on our side',
  fault_text: 'Please open this page again: it shows whether a payment was made.',
  wrong_method: 'This cannot be done here',
  wrong_method_text: 'Please open this page in a browser.',
  foreign_form: 'This form was not accepted',
  foreign_form_text: 'This form was sent from another site. Please open the page and use the form there.',

  form_too_large: 'That was more than this form can hold.',
  form_unknown: 'Please use the form on this page.',
  choose_how_to_pay: 'Please choose how to pay.',
  details_missing: 'Your card or account details are missing. Nothing was charged. Please enter them.',
  name_missing: 'The name is missing. Nothing was charged. Please enter it.',
  postal_code_missing: 'The postal code is missing. Nothing was charged. Please enter it.',
  not_charged_now: 'Nothing was charged just now.',
  amount_changed: 'The amount has changed since this page was opened. Nothing was charged by this form.',
  too_many_attempts: 'Too many attempts: this one charged nothing. Please wait a minute, then try again.',

  card_declined: 'Your card was declined. Nothing was charged. Please use another card, or try again.',
  insufficient_funds:
    'Your card was declined: it has insufficient funds. Nothing was charged. Please use another card.',
  unreachable: 'The payment service could not be reached. Nothing was charged. Please try again.',
  card_unverified:
    'Your card could not be verified. Nothing was charged. Check what you entered, or use another card.',
  card_expired: 'This card has expired. Nothing was charged. Please use another card.',
  bank_account_unverified:
    'Your bank account could not be verified. Nothing was charged. Please use another account.',
  number_in_the_clear: 'Please enter a sandbox token, never a card or account number. It was not stored.',
  authorization_required: 'A bank account can be debited only if you accept the authorization.',
  authorization_changed: 'The authorization has changed. Please read it again.',
  not_set_up: 'This payment method is not set up here. Nothing was charged.',
  no_such_token: 'There is no such sandbox token. Nothing was charged.',
  check_details: 'Please check what you entered. Nothing was charged.',
  sent_before:
    'This form was already sent, with other details. If you still want to pay, please send it again.',
  unsure:
    'We could not reach the payment service. If this page still asks for a payment, nothing was charged: please try again.',
  not_paid:
    'The payment could not be made. If this page still asks for it, nothing was charged: please try again.',
}

/** A text, or what makes one out of a few words. */
export type Texts = typeof en

/** The entries that are whole texts. */
export type TextName = { [Name in keyof Texts]: Texts[Name] extends string ? Name : never }[keyof Texts]
