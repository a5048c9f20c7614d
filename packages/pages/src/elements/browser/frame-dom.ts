export function textOf(id: string): string {
  return inputOf(id).value
}

export function inputOf(id: string): HTMLInputElement {
  return byId(id, HTMLInputElement)
}

export function say(id: string, text: string): void {
  const element = byId(id, HTMLElement)
  if (element.textContent !== text) element.textContent = text
}

export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`The page lacks #${id}.`)
  return element
}
