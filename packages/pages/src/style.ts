import { createHash } from 'node:crypto'

/**
 * Sent inside each page, so that the first paint needs one request; the policy allows it by its digest. Text in fields is
 * 1rem or larger, or a phone zooms in on them; everything that can be pressed is at least 2.75rem (44 px) high. The height
 * of Elements is reserved from the start, with labels of two lines in French and Spanish, and fields of a line each on the
 * narrowest phones: nothing moves when they load. A form keeps the margin of its first label inside, or it would move once
 * that label has come in.
 * What is in the place of Elements is hidden as soon as they load, and shown only if that takes long. Without scripts,
 * their forms show how to get them, and nothing to fill in. Pressing the open way to pay leaves it open. On a phone where
 * letters are twice the size, an amount may break before its currency.
 */
export const style = `
:root{color-scheme:light dark;--ink:#14181f;--quiet:#555d69;--paper:#fff;--ground:#f4f6f8;--line:#dce0e6;--edge:#868e9b;--act:#0a6650;--act-over:#08523f;--on-act:#fff;--bad:#a8221b;--bad-ground:#fdeceb;--good:#0a6650;--good-ground:#e3f4ee;--plain-ground:#eaedf1;--sandbox:#5a4200;--sandbox-ground:#fff0cc;--shadow:0 1px 2px #14181f0f,0 8px 28px #14181f0f}
@media screen and (prefers-color-scheme:dark){:root{--ink:#eceff2;--quiet:#a6afba;--paper:#181c21;--ground:#0e1114;--line:#2c333b;--edge:#6f7985;--act:#4ccba4;--act-over:#74dcbc;--on-act:#06231b;--bad:#ffb3ab;--bad-ground:#3b1815;--good:#79dfbd;--good-ground:#0f3329;--plain-ground:#262c33;--sandbox:#ffdf9a;--sandbox-ground:#3a2d08;--shadow:none}}
*,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
p,h1,h2,dl,dd,table{margin:0}
svg{flex:none;width:1.5rem;height:1.5rem;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.sandbox{padding:.5rem 1.25rem;background:var(--sandbox-ground);color:var(--sandbox);font-size:.875rem;text-align:center}
main{display:grid;gap:1.75rem;max-width:30rem;margin:0 auto;padding:1.5rem 1.25rem 3rem}
main>*{min-width:0}
.merchant{display:flex;gap:.75rem;align-items:center;margin-bottom:1.5rem;font-weight:600}
.mark{flex:none;display:grid;place-items:center;width:2.5rem;height:2.5rem;overflow:hidden;border-radius:.75rem;background:var(--act);color:var(--on-act);font-size:1.125rem}
h1{font-size:1.625rem;line-height:1.2;letter-spacing:-.01em}
h1 .verb{display:block;margin-bottom:.125rem;color:var(--quiet);font-size:1rem;font-weight:500;letter-spacing:0}
h1 .amount{display:block;font-size:clamp(1.75rem,9vw,2.5rem);font-weight:680;letter-spacing:-.025em;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:minmax(6rem,auto) minmax(0,1fr);gap:.5rem 1.25rem;margin-top:1.5rem}
dt{color:var(--quiet)}
dd{white-space:pre-line}
table{width:100%;margin-top:1.5rem;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.5rem 0;border-top:1px solid var(--line);text-align:start;font-weight:400;vertical-align:top}
th{padding-inline-end:1rem;color:var(--quiet)}
td{text-align:end;white-space:nowrap}
tr.sum>*{border-top-color:var(--edge);color:var(--ink);font-weight:650}
.tag{display:inline-block;padding:0 .5rem;border-radius:1rem;background:var(--bad-ground);color:var(--bad);font-size:.875rem;font-weight:600}
.saving{margin-top:1rem;padding:.625rem .875rem;border-radius:.625rem;background:var(--good-ground);color:var(--good);font-size:.9375rem}
.notice{display:flex;gap:.75rem;margin-bottom:1rem;padding:.875rem 1rem;border-radius:.75rem;background:var(--plain-ground)}
.notice.bad{background:var(--bad-ground);color:var(--bad)}
.notice.bad svg{border:1.75px solid;border-radius:50%}
.ways{border:1px solid var(--line);border-radius:1rem;background:var(--paper);box-shadow:var(--shadow)}
.way+.way{border-top:1px solid var(--line)}
summary,.way>h2{display:flex;gap:.75rem;align-items:center;min-height:3.5rem;padding:.5rem 1.25rem;font-size:1rem;font-weight:600;border-radius:1rem}
summary{list-style:none;cursor:pointer}
summary::-webkit-details-marker{display:none}
summary::after{content:"";flex:none;width:1.25rem;height:1.25rem;margin-inline-start:auto;border:2px solid var(--edge);border-radius:50%}
[open]>summary{pointer-events:none}
[open]>summary::after{border:.375rem solid var(--act)}
form{display:flow-root;padding:0 1.25rem 1.25rem}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
[type=hidden]+label{margin-top:.25rem}
.hint{margin-top:.375rem;color:var(--quiet);font-size:.875rem}
input[type=text]{width:100%;height:3rem;padding:0 .875rem;border:1px solid var(--edge);border-radius:.625rem;background:var(--paper);color:inherit;font:inherit;text-overflow:ellipsis}
quittance-card,quittance-bank-account{display:block;min-height:168px;--quittance-color-text:var(--ink);--quittance-color-muted:var(--quiet);--quittance-color-background:var(--paper);--quittance-color-border:var(--edge);--quittance-color-accent:var(--act);--quittance-color-error:var(--bad);--quittance-border-radius:.625rem;--quittance-padding:.6875rem .875rem}
.terms{margin-top:1.25rem;padding:.875rem 1rem;border-radius:.625rem;background:var(--plain-ground);font-size:.9375rem}
label.choice{display:flex;gap:.75rem;align-items:flex-start;margin:.5rem 0 0;padding:.75rem 0;font-weight:400}
.choice input{flex:none;width:1.375rem;height:1.375rem;margin:0;accent-color:var(--act)}
button,.button{display:block;width:100%;min-height:3.25rem;margin-top:1.25rem;padding:.8125rem 1.25rem;border:1px solid transparent;border-radius:.75rem;background:var(--act);color:var(--on-act);font:inherit;font-weight:650;text-align:center;text-decoration:none;cursor:pointer}
button:enabled:hover,.button:hover{background:var(--act-over)}
button:disabled{opacity:.6;cursor:default}
[aria-busy=true] button{opacity:.7;cursor:progress}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
.notice:focus-visible{outline:0}
.apart{display:flex;gap:.5rem;margin-top:1rem;color:var(--quiet);font-size:.875rem}
.apart svg{width:1.25rem;height:1.25rem}
.state{padding:1.75rem 1.5rem;border:1px solid var(--line);border-radius:1rem;background:var(--paper);box-shadow:var(--shadow)}
.badge{display:grid;place-items:center;width:3.5rem;height:3.5rem;margin-bottom:1.25rem;border-radius:50%;background:var(--plain-ground)}
.badge svg{width:1.875rem;height:1.875rem;stroke-width:2}
.badge.good{background:var(--good-ground);color:var(--good)}
.badge.bad{background:var(--bad-ground);color:var(--bad)}
.said{margin-top:.625rem}
.missing{color:var(--bad);animation:missing 1ms 4s both}
@keyframes missing{from{visibility:hidden}}
@media (scripting:none){form:has(noscript)>:not(noscript){display:none}}
@media (max-width:27rem){:lang(fr) quittance-card,:lang(es) quittance-card{min-height:192px}}
@media (max-width:22rem){:root quittance-card{min-height:260px}}
@media (max-width:16rem){td{white-space:normal;overflow-wrap:normal}}
@media (min-width:34rem){main{padding-top:3.5rem}.state{padding:2.5rem}}
@media (min-width:60rem){main.payable{grid-template-columns:minmax(0,1fr) minmax(0,27rem);gap:5rem;align-items:start;max-width:62rem;padding-top:5rem}h1 .amount{font-size:2.875rem}}
@media (prefers-reduced-motion:no-preference){button,.button,input,summary::after{transition:background .15s,border-color .15s}}
@media print{:root{color-scheme:light;--ink:#000;--quiet:#444;--ground:#fff;--shadow:none}.ways,.apart,.notice,.button{display:none}main,main.payable{display:block;max-width:none;padding:1rem 0}.state{padding:0;border:0}}
`

/** The style as a source in a Content-Security-Policy. */
export const style_source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`
