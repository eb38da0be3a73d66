import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const COSE = { ES256: -7, EdDSA: -8, RS256: -257 } as const;
export type Algorithm = keyof typeof COSE;

/** Faults of an authenticator or its browser. */
export interface Faults {
  readonly origin?: string;
  readonly rp_id?: string;
  readonly challenge?: string;
  /** Whether the user was verified. */
  readonly verified?: boolean;
  readonly counter?: number;
  readonly crossOrigin?: boolean;
}

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** A passkey in software: one key for one relying party, and the browser that asks for it (WebAuthn Level 3). */
export class Authenticator {
  readonly id = randomBytes(16);
  readonly #origin: string;
  readonly #algorithm: Algorithm;
  readonly #key: KeyObject;
  /** COSE. */
  readonly public_key: Buffer;
  counter = 0;

  constructor(origin: string, algorithm: Algorithm = 'ES256') {
    const { privateKey, publicKey } = pairOf(algorithm);
    this.#origin = origin;
    this.#algorithm = algorithm;
    this.#key = privateKey;
    this.public_key = coseOf(algorithm, publicKey);
  }

  /** `navigator.credentials.create`, then `toJSON`. */
  create({ challenge, rp }: Options, faults: Faults = {}) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.public_key]);
    const authData = Buffer.concat([this.#data(rp?.id ?? '', HAS_CREDENTIAL, faults), attested]);
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    const clientDataJSON = this.#client('webauthn.create', challenge, faults);
    return this.#credential({ attestationObject, clientDataJSON });
  }

  /** `navigator.credentials.get`, then `toJSON`. */
  get({ challenge, rpId = '' }: Options, faults: Faults = {}) {
    const authenticatorData = this.#data(rpId, 0, faults);
    const clientDataJSON = this.#client('webauthn.get', challenge, faults);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]);
    const signature = sign(this.#algorithm === 'EdDSA' ? null : 'sha256', signed, this.#key);
    return this.#credential({ authenticatorData, clientDataJSON, signature });
  }

  #data(rp_id: string, flags: number, faults: Faults): Buffer {
    const { verified = true, counter = this.counter } = faults;
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags | PRESENT | (verified ? VERIFIED : 0));
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([
      createHash('sha256')
        .update(faults.rp_id ?? rp_id)
        .digest(),
      rest,
    ]);
  }

  #client(type: string, challenge: string, faults: Faults): Buffer {
    const { origin = this.#origin, crossOrigin = false } = faults;
    return Buffer.from(JSON.stringify({ type, challenge: faults.challenge ?? challenge, origin, crossOrigin }));
  }

  #credential(response: Readonly<Record<string, Buffer>>) {
    const id = this.id.toString('base64url');
    const texts = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')]);
    return { id, rawId: id, type: 'public-key', response: Object.fromEntries(texts), clientExtensionResults: {} };
  }
}

function pairOf(algorithm: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** The COSE key (RFC 9053) of a public key. */
export function coseOf(algorithm: Algorithm, key: KeyObject): Buffer {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const alg = COSE[algorithm];
  const members: Readonly<Record<Algorithm, readonly (readonly [number, Cbor])[]>> = {
    ES256: [
      [1, 2],
      [3, alg],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    EdDSA: [
      [1, 1],
      [3, alg],
      [-1, 6],
      [-2, bytes(x)],
    ],
    RS256: [
      [1, 3],
      [3, alg],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  };
  return cbor(new Map(members[algorithm]));
}

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

/** CBOR (RFC 8949), as far as COSE keys and attestations need it. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, member]) => [cbor(key), cbor(member)])]);
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of((major << 5) | argument);
  return argument < 256 ? Buffer.of((major << 5) | 24, argument) : Buffer.of((major << 5) | 25, argument >> 8, argument & 255);
}
