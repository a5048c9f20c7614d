/**
 * Inside an element's shadow root. The Content-Security-Policy of the page does not restrict constructed style sheets. The
 * frame is higher than its fields, and 4 pixels wider on each side: room for the ring around the field in focus. All text
 * here is in a language that is written from left to right, even if the page's is not.
 */
export const element_style = `
:host{display:block;direction:ltr;color:var(--quittance-color-text,inherit)}
:host([hidden]){display:none}
iframe{display:block;width:calc(100% + 8px);margin:0 -4px -4px;border:0;color-scheme:inherit;background:transparent}
.error:not(:empty)+iframe{display:none}
.authorization{margin-top:var(--quittance-spacing,1rem);font-size:.9375em}
p{margin:0 0 .5em}
label{display:flex;gap:.625em;align-items:flex-start;min-height:44px;cursor:pointer}
input{flex:none;width:1.25em;height:1.25em;margin:.125em 0 0;accent-color:var(--quittance-color-accent,auto)}
input:focus-visible{outline:2px solid var(--quittance-color-accent,currentColor);outline-offset:2px}
.error{color:var(--quittance-color-error,light-dark(#a3161f,#ff9a9a));margin:0}
`
