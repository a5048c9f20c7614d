import { type Html, trusted } from './html.ts'

/** In the colour of the text around them, and hidden from screen readers: the words beside them say the same. */
export const icons = {
  card: drawn('<rect x="2.5" y="5" width="19" height="14" rx="2.5"/><path d="M2.5 10h19M6 15h4"/>'),
  us_bank_account: drawn(
    '<path d="M3 9.5 12 4l9 5.5M3 20.5h18M5.5 12.5v5M10 12.5v5M14 12.5v5M18.5 12.5v5"/>',
  ),
  lock: drawn('<rect x="5" y="10.5" width="14" height="9.5" rx="2"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5"/>'),
  good: drawn('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  bad: drawn('<path d="M12 6.5v7M12 17.4v.1"/>'),
  waiting: drawn('<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>'),
  over: drawn('<path d="M7 7l10 10M17 7 7 17"/>'),
}

function drawn(shapes: string): Html {
  return trusted(`<svg viewBox="0 0 24 24" aria-hidden="true">${shapes}</svg>`)
}
