/**
 * The look of the frames: every part of it can be changed by a custom property of the element. The brand is beside the
 * room that its longest number takes; if both are too wide, it falls below the box and out of sight. On the narrowest
 * phones the digits are closer together, because a browser shows the end of a text that is too long and hides its beginning.
 */
export const frame_style = `
:root{--text:var(--quittance-color-text,light-dark(#1a1d21,#eceef1));--muted:var(--quittance-color-muted,light-dark(#555c66,#a9b1bb));--background:var(--quittance-color-background,light-dark(#fff,#1b1e23));--border:var(--quittance-color-border,light-dark(#7d858f,#79818c));--accent:var(--quittance-color-accent,light-dark(#0b5cad,#7db7f2));--error:var(--quittance-color-error,light-dark(#a3161f,#ff9a9a));--spacing:var(--quittance-spacing,1rem)}
*{box-sizing:border-box}
html{background:transparent;color:var(--text);font:var(--quittance-font-size,1rem)/1.5 var(--quittance-font-family,system-ui,sans-serif)}
body{margin:0;overflow:hidden}
form{display:flex;flex-wrap:wrap;gap:var(--spacing);padding:0 4px 4px;margin:0}
form[hidden]{display:none}
.field{flex:1 1 100%;min-width:0}
.half{flex:1 1 8rem}
label{display:block;margin:0 0 .25rem;font-weight:600;font-size:1em}
.box{position:relative}
input{width:100%;min-height:max(2.75em,44px);margin:0;padding:var(--quittance-padding,.5rem .75rem);border:var(--quittance-border-width,1px) solid var(--border);border-radius:var(--quittance-border-radius,.5rem);background:var(--background);color:inherit;font:inherit;font-variant-numeric:tabular-nums;appearance:none}
input::placeholder{color:var(--muted);opacity:1}
input:focus-visible{outline:3px solid var(--accent);outline-offset:1px}
input[aria-invalid=true]{border-color:var(--error);box-shadow:inset 0 0 0 1px var(--error)}
input:disabled{opacity:.6;cursor:not-allowed}
.beside{position:absolute;inset:0 .75rem 0 0;display:flex;flex-wrap:wrap;justify-content:flex-end;align-items:center;align-content:flex-start;overflow:hidden;pointer-events:none}
.room{flex:1 0 auto;height:100%;padding:var(--quittance-padding,.5rem .75rem);border:var(--quittance-border-width,1px) solid transparent;font-variant-numeric:tabular-nums;white-space:pre;visibility:hidden}
.brand{color:var(--muted);font-size:.8125em;font-weight:600;white-space:nowrap}
.error{margin:.25rem 0 0;color:var(--error);font-size:.9375em}
.error:empty{margin:0}
#refusal{flex:1 1 100%;margin:0}
#refusal:empty{position:absolute}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:17rem){#number,.room{letter-spacing:-.03em}#number{padding-inline-end:.25rem}}
@media (forced-colors:active){input[aria-invalid=true]{border-style:dashed}}
`
