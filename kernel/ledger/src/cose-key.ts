import { createPublicKey, type KeyObject } from 'node:crypto';

/** A public key of COSE (RFC 9053). `digest`: of the signed bytes; null: the algorithm hashes them itself. */
export interface CoseKey {
  readonly key: KeyObject;
  /** -7: ES256, -8: EdDSA, -257: RS256. */
  readonly algorithm: -7 | -8 | -257;
  readonly digest: 'sha256' | null;
}

type Members = ReadonlyMap<number, number | string>;

const MIN_RSA_BITS = 2048;

/** Reads a public key of one of the three algorithms. Null: anything else, also a key with further members. */
export function coseKey(bytes: Uint8Array): CoseKey | null {
  try {
    const members = membersOf(bytes);
    const [x, y] = [members.get(-2), members.get(-3)];
    switch (`${members.size} ${members.get(1)} ${members.get(3)} ${members.get(-1)}`) {
      case '5 2 -7 1':
        return { key: imported({ kty: 'EC', crv: 'P-256', x, y }), algorithm: -7, digest: 'sha256' };
      case '4 1 -8 6':
        return { key: imported({ kty: 'OKP', crv: 'Ed25519', x }), algorithm: -8, digest: null };
    }
    if (members.size !== 4 || members.get(1) !== 3 || members.get(3) !== -257) return null;
    const key = imported({ kty: 'RSA', n: members.get(-1), e: x });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS ? null : { key, algorithm: -257, digest: 'sha256' };
  } catch {
    return null;
  }
}

function imported(key: Readonly<Record<string, unknown>>): KeyObject {
  return createPublicKey({ key, format: 'jwk' });
}

/** A CBOR map (RFC 8949) from integers to integers and byte strings, which are returned in base64url. @throws {RangeError} for anything else */
function membersOf(bytes: Uint8Array): Members {
  let at = 0;
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new RangeError('the key is truncated');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const head = (): readonly [major: number, argument: number] => {
    const [first = 0] = take(1);
    const width = { 24: 1, 25: 2 }[first & 31] ?? 0;
    const argument = take(width).reduce((sum, byte) => sum * 256 + byte, 0);
    return [first >> 5, width === 0 ? first & 31 : argument];
  };
  const value = (): number | string => {
    const [major, argument] = head();
    if (major === 0) return argument;
    if (major === 1) return -1 - argument;
    if (major === 2) return Buffer.from(take(argument)).toString('base64url');
    throw new RangeError('the key has a member of another type');
  };
  const [major, count] = head();
  const members = new Map<number, number | string>();
  for (let n = 0; n < count; n += 1) members.set(Number(value()), value());
  if (major !== 5 || members.size !== count || at !== bytes.length) throw new RangeError('not one map of distinct members');
  return members;
}
