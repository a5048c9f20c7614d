import { scrypt } from 'node:crypto'

/** About 16 MiB and 50 ms per hash (OWASP, Password Storage Cheat Sheet: N=2^14, r=8, p=5). */
const cost = { N: 16_384, r: 8, p: 5 }
const hash_bytes = 32

/** What is stored of a password: the hash with its salt and parameters, so that the parameters can be raised later. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const hash = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hash_bytes, cost, (fault, key) =>
      fault ? reject(fault) : resolve(key),
    )
  })
  const { N, r, p } = cost
  return ['scrypt', N, r, p, Buffer.from(salt).toString('base64url'), hash.toString('base64url')].join('$')
}
