import { pressEnd } from './press.ts'

/** What the module does besides the elements, for the hosted pages only. */
export function attendHostedPage(): void {
  const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-awaits-elements]')
  if (buttons.length === 0) return
  for (const button of buttons) button.disabled = false
  // Chrome keeps pages under no-store, too: whoever went back would be asked again for what is paid, with the card typed in.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  if (!document.querySelector('script[data-answers-form]')) return
  // Under no-store, going back to this response or reloading it would send the form again, or show its outcome again. In the
  // history, the page's own address replaces it, and is requested again.
  history.replaceState(null, '', location.pathname)
  document.addEventListener('change', (event) => void forgetRefusal(event))
}

/** Once the fields show what is wrong with them, the refusal of the last form is out of date. */
async function forgetRefusal(event: Event): Promise<void> {
  if (!(event instanceof CustomEvent) || event.detail.error === null) return
  await pressEnd()
  document.querySelector('.notice.bad')?.remove()
}
