import type { Socket } from 'node:net'

const interim = Buffer.from('HTTP/1.1 1')
const continue_digits = Buffer.from('00')
const end_of_head = Buffer.from('\r\n\r\n')
const three = 0x33

/**
 * Lets a receiver send `100 Continue`. undici ignores every other interim response, but drops the connection at this one,
 * because it never requests it; yet some servers send it anyway. Its last digit is changed to a 3 before the parser sees
 * it: a `103` is ignored.
 *
 * Looks only at the start of a chunk, and at what follows an interim response within it. If that is not the start of a
 * response, it is part of a body, which is discarded and whose length does not change.
 */
export function tolerateContinue(socket: Socket): void {
  const read = socket.read.bind(socket)
  let matched = 0
  socket.read = (size) => {
    const chunk: unknown = read(size)
    if (Buffer.isBuffer(chunk)) matched = disguise(chunk, matched)
    return chunk
  }
}

/** The most that a receiver may send for one request. Sixteen times the longest body that is read. */
const max_answer_bytes = 1024 * 1024

/**
 * Reads no more than that for one request, and then lets the attempt time out. undici skips any number of interim
 * responses, and parsing as many as a fast receiver can send leaves this process no time for anything else.
 */
export function boundAnswers(socket: Socket): void {
  const read = socket.read.bind(socket)
  let written_bytes = 0
  let answer_bytes = 0
  socket.read = (size) => {
    // Another request was sent: this is its response.
    if (socket.bytesWritten !== written_bytes) answer_bytes = 0
    written_bytes = socket.bytesWritten
    if (answer_bytes > max_answer_bytes) return null
    const chunk: unknown = read(size)
    if (Buffer.isBuffer(chunk)) answer_bytes += chunk.length
    return chunk
  }
}

/** Returns how many bytes of `HTTP/1.1 100` the chunk ends with, in case a status line is split over chunks. */
function disguise(chunk: Buffer, already_matched: number): number {
  let matched = already_matched
  let at = 0
  while (at < chunk.length) {
    const wanted = matched < interim.length ? interim[matched] : continue_digits[matched - interim.length]
    if (chunk[at] === wanted) {
      matched += 1
      at += 1
      if (matched < interim.length + continue_digits.length) continue
      chunk[at - 1] = three
    }
    // This is an interim response, `100` or another: the next head may begin in the same chunk.
    const end = matched < interim.length ? -1 : chunk.indexOf(end_of_head, at)
    if (end === -1) return 0
    at = end + end_of_head.length
    matched = 0
  }
  return matched
}
