import { readFileSync } from 'node:fs'

// Plain JavaScript: it runs on any Node that is installed.
const text = readFileSync(process.argv[2], 'utf8')
if (text === '') {
  console.log('No test ran: the checks before them failed.')
  console.log('0 passed, 1 failed')
} else {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(text)
  // A file that cannot be loaded has no tests that could have failed.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  for (const { name } of broken) console.log(`${name} could not be loaded`)
  console.log(`${numPassedTests} passed, ${numFailedTests + broken.length} failed`)
}
