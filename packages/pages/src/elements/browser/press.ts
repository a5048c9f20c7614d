/**
 * Settles once no button is held down on the page. What moves before a mouse button is released never gets the click; and a
 * press takes the focus from a field, which is when the field shows what is wrong with it.
 */
export function pressEnd(): Promise<void> {
  return press.promise
}

let press = Promise.withResolvers<void>()
press.resolve()

function begin(): void {
  press.resolve()
  press = Promise.withResolvers()
}

/** The click comes in the same task as the end of its press. */
function end(): void {
  setTimeout(press.resolve)
}

addEventListener('pointerdown', begin, true)
addEventListener('pointerup', end, true)
addEventListener('pointercancel', end, true)
// A menu or a list that the press has opened may take its end. The frame has the focus then, or the page is not in front.
addEventListener('blur', end)
