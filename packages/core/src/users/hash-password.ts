import { scrypt } from 'node:crypto'

/** 16 MiB and some 50 ms each (OWASP, Password Storage Cheat Sheet: N=2^14, r=8, p=5). */
const cost = { N: 16_384, r: 8, p: 5 }
const hash_bytes = 32

/** What is kept of a password: the salt and the parameters stand beside the hash, so that they can be raised later. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const hash = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hash_bytes, cost, (fault, key) =>
      fault ? reject(fault) : resolve(key),
    )
  })
  const { N, r, p } = cost
  return ['scrypt', N, r, p, Buffer.from(salt).toString('base64url'), hash.toString('base64url')].join('$')
}
