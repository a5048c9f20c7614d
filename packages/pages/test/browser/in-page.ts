// What runs inside a page, as text: the types of Node that tests are checked with know no document.

/** The label or text of the control with the focus; empty where it is in none, or inside an element of ours. */
export const name_of_focused = `(() => {
  const focused = document.activeElement
  if (focused === null || focused === document.body || !document.hasFocus()) return ''
  if (focused instanceof HTMLInputElement) return focused.labels?.[0]?.innerText.trim() ?? ''
  return focused.tagName.includes('-') ? '' : focused.textContent.replace(/\\s+/g, ' ').trim()
})()`

/** What reaches out of the page, and what a finger would miss: less than 44 CSS pixels high. */
export const measured_flaws = `(() => {
  const found = []
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) found.push('the page is ' + scrollWidth + ' wide in a window of ' + clientWidth)
  const controls = document.querySelectorAll('a, button, summary, input:not([type=hidden]), label.choice')
  for (const control of controls) {
    const { width, height, right } = control.getBoundingClientRect()
    const what = control.localName + ' "' + control.textContent + '"'
    if (width > 0 && height < 44 && control.type !== 'checkbox') found.push(what + ' is ' + height + ' high')
    if (right > clientWidth) found.push(what + ' reaches out of the window')
  }
  return found
})()`

/** Whether this element is the one that the keyboard talks to. */
export const has_focus = (selector: string) =>
  `document.activeElement === document.querySelector('${selector}')`

/** How much of the window has moved without anybody asking, since the page was opened. */
export const layout_shift = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value })
    .observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
})`

/** How many pixels an element moves down when nothing is in it any more. */
export const move_when_emptied = (selector: string) => `(() => {
  const element = document.querySelector('${selector}')
  const { top } = element.getBoundingClientRect()
  element.replaceChildren()
  return element.getBoundingClientRect().top - top
})()`

/** How many pixels are free on the left of each value of a list. */
export const indents_of_values = `[...document.querySelectorAll('dd')].map((value) => {
  const text = document.createRange()
  text.selectNodeContents(value)
  return Math.round(text.getBoundingClientRect().left - value.getBoundingClientRect().left)
})`

/** How many pixels of what is in this field are out of sight. */
export const cut_off = (selector: string) => `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('${selector}')
  return scrollWidth - clientWidth
})()`

/** How many pixels are free between the card number and its network; null where no network is in sight. */
export const gap_before_brand = `(() => {
  const [input, brand] = [document.querySelector('#number'), document.querySelector('#brand')]
  const [box, shown] = [input.getBoundingClientRect(), brand.getBoundingClientRect()]
  if (shown.top >= box.bottom) return null
  const ruler = document.createElement('span')
  const { font, fontVariantNumeric, paddingLeft, borderLeftWidth } = getComputedStyle(input)
  Object.assign(ruler.style, { font, fontVariantNumeric, position: 'absolute', whiteSpace: 'pre' })
  ruler.textContent = input.value
  document.body.append(ruler)
  const { width } = ruler.getBoundingClientRect()
  ruler.remove()
  return shown.left - (box.left + parseFloat(borderLeftWidth) + parseFloat(paddingLeft) + width)
})()`
