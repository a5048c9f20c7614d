/**
 * Settles once nothing is held down on the page. What moves under a mouse button before it is let go never hears the
 * click; and leaving a field, as a press does, is when the field says what is wrong with it.
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
