import { simulate } from '@quittance/testing'

/** Run with a bug planted: tries one seed after another until an invariant does not hold, and says in which history. */
const [first = 1, histories = 1] = process.argv.slice(2).map(Number)
let tried = 0
let violations: string[] = []
while (tried < histories && violations.length === 0) {
  const found = await simulate({ seed: first + tried, trace: false })
  violations = found.violations.map(({ invariant, detail }) => `${invariant}: ${detail}`)
  tried += 1
}
console.log(JSON.stringify({ tried, violations }))
