/** The custom properties that a page may set on an element, each with the CSS property whose values it takes. */
export const theme_properties: Readonly<Record<string, string>> = {
  '--quittance-color-text': 'color',
  '--quittance-color-muted': 'color',
  '--quittance-color-background': 'color',
  '--quittance-color-border': 'color',
  '--quittance-color-accent': 'color',
  '--quittance-color-error': 'color',
  '--quittance-font-family': 'font-family',
  '--quittance-font-size': 'font-size',
  '--quittance-border-radius': 'border-radius',
  '--quittance-border-width': 'border-width',
  '--quittance-padding': 'padding',
  '--quittance-spacing': 'row-gap',
}
