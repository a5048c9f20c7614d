import { pressEnd } from './press.ts'

/** What the hosted pages ask of the module besides the elements, and no other page does. */
export function attendHostedPage(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-awaits-elements]'))
    button.disabled = false
  if (!document.querySelector('script[data-answers-form]')) return
  // Under no-store, going back to this answer or reloading it would send the form again, or tell of its outcome again. In
  // the history the page's own address takes its place, which is asked for anew.
  history.replaceState(null, '', location.pathname)
  document.addEventListener('change', (event) => void forgetRefusal(event))
}

/** Once the fields say what is wrong with them, what was wrong with the last form is past. */
async function forgetRefusal(event: Event): Promise<void> {
  if (!(event instanceof CustomEvent) || event.detail.error === null) return
  await pressEnd()
  document.querySelector('.notice.bad')?.remove()
}
