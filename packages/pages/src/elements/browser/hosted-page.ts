import { pressEnd } from './press.ts'

/** What the hosted pages ask of the module besides the elements, and no other page does. */
export function attendHostedPage(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-awaits-elements]'))
    button.disabled = false
  if (!document.querySelector('script[data-answers-form]')) return
  // What answers a form cannot be shown again under no-store, and a reload would send the form once more, or tell of an
  // outcome again: as an entry of its own it is the page itself, asked for anew.
  history.replaceState(null, '', location.pathname)
  document.addEventListener('change', (event) => void forgetRefusal(event))
}

/** Once the fields say what is wrong with them, what was wrong with the last form is past. */
async function forgetRefusal(event: Event): Promise<void> {
  if (!(event instanceof CustomEvent) || event.detail.error === null) return
  await pressEnd()
  document.querySelector('.notice.bad')?.remove()
}
