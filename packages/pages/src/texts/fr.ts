import type { Texts } from './en.ts'

export const fr: Texts = {
  sandbox: 'Environnement de test, sans argent réel.',

  pay: 'Payer',
  paying_to: (amount, merchant) => `${amount} à ${merchant}`,
  refused_title: (title) => `Non payé, ${title}`,
  amount: 'Montant',
  description: 'Objet',
  reference: 'Référence',
  way_to_pay: 'Comment souhaitez-vous payer\u00a0?',

  card: 'Carte',
  card_holder: 'Nom sur la carte',
  card_token: 'Jeton de carte de test',
  bank_account: 'Compte bancaire américain',
  bank_account_holder: 'Titulaire du compte',
  bank_account_token: 'Jeton de compte de test',
  token_hint: (sample) => `Par exemple ${sample}. N’entrez jamais ici un vrai numéro de carte ou de compte.`,
  postal_code: 'Code postal',
  accept_authorization: 'J’ai lu cette autorisation et je l’accepte.',
  numbers_kept_apart:
    'Les numéros de carte et de compte vont directement au service de paiement. Cette page ne les voit jamais.',
  script_needed: 'Pour payer ici, autorisez JavaScript pour cette page et ouvrez-la de nouveau.',
  fields_missing:
    'Les champs de saisie n’ont pas pu être chargés. Vérifiez votre connexion et rouvrez cette page avec le lien que vous avez reçu.',
  not_set_up_live:
    'La saisie de carte n’est pas encore configurée sur cette page. Rien ne peut y être payé pour le moment.',
  bank_not_set_up_live:
    'Le paiement depuis un compte bancaire n’est pas encore configuré sur cette page. Rien ne peut y être payé pour le moment.',
  not_set_up_sandbox:
    'Aucun moyen de paiement de test n’est configuré pour cette page. Rien ne peut y être payé pour le moment.',

  in_flight: 'Votre paiement est en cours de traitement',
  in_flight_text: 'Nous attendons d’en connaître l’issue. Vous n’avez pas à payer de nouveau.',
  check_again: 'Vérifier de nouveau',
  came_to_nothing: 'Le paiement n’a pas abouti. Rien n’a été débité. Veuillez réessayer.',
  expired: 'Cette page a expiré',
  expired_text: 'Rien n’a été débité.',
  return_to: (host) => `Retourner à ${host}`,

  already_paid: (text) => `Ceci a déjà été payé. ${text}`,
  paid: 'Payé',
  paid_text: 'Merci. Votre paiement a été reçu.',
  approved_text: 'Merci. Votre paiement a été approuvé.',
  debit_accepted: 'Prélèvement accepté',
  debit_accepted_text:
    'Merci. L’argent quittera votre compte dans les prochains jours. Vous n’avez pas à payer de nouveau.',
  failed: 'Le paiement a échoué',
  failed_text: 'Votre banque a refusé le prélèvement : rien n’a été débité. Veuillez contacter le marchand.',
  canceled: 'Le paiement a été annulé',
  canceled_text: 'Rien n’a été débité. Veuillez contacter le marchand.',
  returned: 'Le paiement a été rejeté',
  returned_text: 'Votre banque a repris le paiement. Veuillez contacter le marchand.',

  invoice: 'Facture',
  invoice_numbered: (number) => `Facture ${number}`,
  invoice_from: (invoice, merchant) => `${invoice} de ${merchant}`,
  issued: 'Émise le',
  due_date: 'Échéance',
  past_due: 'En retard',
  total: 'Total',
  already_received: 'Payé',
  pending: 'En cours',
  written_off: 'Remise',
  due: 'Reste dû',
  early_payment_discount: 'Escompte pour paiement anticipé',
  to_pay_today: 'À payer aujourd’hui',
  save_by: (amount, day) => `Vous économisez ${amount} en payant d’ici le ${day} (UTC).`,
  invoice_pending_text:
    'Rien d’autre n’est dû en attendant. Il faut quelques minutes avec une carte, quelques jours avec un compte bancaire.',
  invoice_paid_text: 'Merci. Il ne reste rien à payer sur cette facture.',
  nothing_due: 'Rien n’est dû',
  nothing_due_text: 'Vous n’avez pas à payer cette facture.',
  invoice_canceled: 'Cette facture a été annulée',
  invoice_canceled_text: 'Il n’y a rien à payer.',

  no_such_page: 'Cette page n’existe pas',
  no_such_page_text: 'Vérifiez l’adresse, ou demandez à la personne qui vous l’a envoyée.',
  dead_link: 'Ce lien ne fonctionne plus',
  dead_link_text: 'Demandez au marchand de vous envoyer la facture de nouveau.',
  dead_link_not_charged_text:
    'Rien n’a été débité à l’instant. Demandez au marchand de vous envoyer la facture de nouveau.',
  fault: 'Un problème est survenu chez nous',
  fault_text: 'Ouvrez cette page de nouveau. Elle indique si un paiement a été effectué.',
  wrong_method: 'Ceci n’est pas possible ici',
  wrong_method_text: 'Veuillez ouvrir cette page dans un navigateur.',
  foreign_form: 'Ce formulaire n’a pas été accepté',
  foreign_form_text:
    'Ce formulaire vient d’un autre site. Ouvrez la page et utilisez le formulaire qui s’y trouve.',

  form_too_large: 'C’est plus que ce formulaire ne peut contenir.',
  form_unknown: 'Veuillez utiliser le formulaire de cette page.',
  choose_how_to_pay: 'Veuillez choisir un moyen de paiement.',
  details_missing:
    'Les données de votre carte ou de votre compte manquent. Rien n’a été débité. Veuillez les saisir.',
  name_missing: 'Le nom manque. Rien n’a été débité. Veuillez le saisir.',
  postal_code_missing: 'Le code postal manque. Rien n’a été débité. Veuillez le saisir.',
  not_charged_now: 'Rien n’a été débité à l’instant.',
  amount_changed: 'Le montant a changé depuis l’ouverture de cette page. Ce formulaire n’a rien débité.',
  too_many_attempts: 'Trop de tentatives : celle-ci n’a rien débité. Attendez une minute, puis réessayez.',

  card_declined: 'Votre carte a été refusée. Rien n’a été débité. Utilisez une autre carte, ou réessayez.',
  insufficient_funds:
    'Votre carte a été refusée pour provision insuffisante. Rien n’a été débité. Utilisez une autre carte.',
  unreachable: 'Le service de paiement n’a pas pu être joint. Rien n’a été débité. Veuillez réessayer.',
  card_unverified:
    'Votre carte n’a pas pu être vérifiée. Rien n’a été débité. Vérifiez votre saisie, ou utilisez une autre carte.',
  card_expired: 'Cette carte a expiré. Rien n’a été débité. Utilisez une autre carte.',
  bank_account_unverified:
    'Votre compte n’a pas pu être vérifié. Rien n’a été débité. Utilisez un autre compte.',
  number_in_the_clear:
    'Entrez un jeton de test, jamais un numéro de carte ou de compte. Rien n’en a été conservé.',
  authorization_required: 'Un compte ne peut être débité que si vous acceptez l’autorisation.',
  authorization_changed: 'L’autorisation a changé. Veuillez la relire.',
  not_set_up: 'Ce moyen de paiement n’est pas configuré ici. Rien n’a été débité.',
  no_such_token: 'Ce jeton de test n’existe pas. Rien n’a été débité.',
  check_details: 'Veuillez vérifier votre saisie. Rien n’a été débité.',
  sent_before:
    'Ce formulaire a déjà été envoyé avec d’autres données. Si vous souhaitez toujours payer, envoyez-le de nouveau.',
  unsure:
    'Le service de paiement n’a pas pu être joint. Si cette page demande encore un paiement, rien n’a été débité. Veuillez réessayer.',
  not_paid:
    'Le paiement n’a pas pu être effectué. Si cette page le demande encore, rien n’a été débité. Veuillez réessayer.',
}
