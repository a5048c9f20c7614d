import type { Appearance } from '../protocol.ts'
import { localeOf } from './element-texts.ts'
import { theme_properties } from './theme.ts'

/** How an element looks at this moment, for the page in its frame. The font is the page's unless a property names another. */
export function appearanceOf(element: HTMLElement & { disabled: boolean }): Appearance {
  const style = getComputedStyle(element)
  const set = Object.keys(theme_properties)
    .map((name) => [name, style.getPropertyValue(name).trim()] as const)
    .filter(([, value]) => value !== '')
  return {
    locale: localeOf(element),
    theme: { '--quittance-font-family': style.fontFamily, ...Object.fromEntries(set) },
    color_scheme: colorSchemeOf(style),
    disabled: element.disabled,
  }
}

/** `normal` stands for the color scheme of the page's `<meta>`, which the page in the frame does not see. */
function colorSchemeOf({ colorScheme }: CSSStyleDeclaration): string {
  if (colorScheme !== 'normal') return colorScheme
  return document.querySelector<HTMLMetaElement>('meta[name="color-scheme" i]')?.content ?? colorScheme
}
