import { createHash } from 'node:crypto'

/** Sent inside each page, so that the first paint needs one request; the policy allows it by its digest. */
export const style = `
:root{color-scheme:light dark;--ink:#1a1d21;--quiet:#555c66;--paper:#fff;--ground:#f3f4f6;--line:#c3c8cf;--act:#0b5cad;--on-act:#fff;--bad:#a3161f;--good:#11632f}
@media (prefers-color-scheme:dark){:root{--ink:#eceef1;--quiet:#a9b1bb;--paper:#1b1e23;--ground:#101215;--line:#4a515b;--act:#7db7f2;--on-act:#0c1116;--bad:#ff9a9a;--good:#7fd8a0}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:30rem;margin:0 auto;padding:1.5rem;background:var(--paper);min-height:100vh}
@media (min-width:34rem){main{min-height:0;margin:3rem auto;border:1px solid var(--line);border-radius:.75rem;padding:2rem}}
.merchant{margin:0;font-weight:600}
.sandbox{margin:0 0 1.25rem;padding:.25rem .75rem;border:1px dashed var(--line);border-radius:.5rem;color:var(--quiet);font-size:.875rem}
h1{margin:.25rem 0 1rem;font-size:1.75rem;line-height:1.2}
h2,summary{font-size:1.125rem;font-weight:600;margin:0}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.375rem 1rem;margin:0 0 1.5rem}
dt{color:var(--quiet)}
dd{margin:0;white-space:pre-line}
details,section{border-top:1px solid var(--line);padding:1rem 0}
summary{cursor:pointer;padding:.25rem 0}
label{display:block;margin:.875rem 0 .25rem;font-weight:600}
.hint{margin:.25rem 0 0;color:var(--quiet);font-size:.875rem}
input[type=text]{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--quiet);border-radius:.5rem;background:var(--paper);color:inherit;font:inherit}
label.choice{display:flex;gap:.625rem;align-items:flex-start;font-weight:400}
label.choice input{flex:none;width:1.25rem;height:1.25rem;margin:.125rem 0 0}
.terms{margin:1rem 0 0;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;font-size:.9375rem}
button,.button{display:block;width:100%;min-height:3rem;margin-top:1.25rem;padding:.625rem 1rem;border:0;border-radius:.5rem;background:var(--act);color:var(--on-act);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
.notice{margin:0 0 1.25rem;padding:.75rem 1rem;border-left:.25rem solid var(--quiet);background:var(--ground)}
.notice.bad{border-color:var(--bad);color:var(--bad)}
.notice.good{border-color:var(--good);color:var(--good)}
.notice p{margin:0}
`

const digest = createHash('sha256').update(style).digest('base64')

/** No script, no image, no frame, no other origin. A form goes to this origin only. */
export const content_security_policy = [
  "default-src 'none'",
  `style-src 'sha256-${digest}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')
