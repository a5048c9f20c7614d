import type { SuiteRequest } from './requests.ts'

const list = { method: 'GET', path: '/payments?limit=1' }

/** What many hosts do of themselves for whoever asks: the API does none of it, and its answers are not theirs to change. */
export const requests_for_hosts: readonly SuiteRequest[] = [
  {
    name: 'a list, which may come compressed',
    ...list,
    headers: [['Accept-Encoding', 'gzip, deflate, br, zstd']],
  },
  { name: 'a list, if it is another than the client has', ...list, headers: [['If-None-Match', '*']] },
  {
    name: 'a list, if it has changed since',
    ...list,
    headers: [['If-Modified-Since', 'Fri, 31 Dec 2100 23:59:59 GMT']],
  },
  { name: 'a part of a list', ...list, headers: [['Range', 'bytes=0-9']] },
  {
    name: 'another method in a header',
    method: 'POST',
    path: '/payments',
    headers: [['X-HTTP-Method-Override', 'GET']],
    body: '{}',
  },
]
