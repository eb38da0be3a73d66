import { type Attribute, CKR, type Cryptoki, fromUlong, template, ULONG_BYTES, ulong, ulongs } from './cryptoki.ts';

const CKF_SERIAL_SESSION = 4;
const CKU_USER = 1;
const CKA = { CLASS: 0x0, LABEL: 0x3, KEY_TYPE: 0x100, ID: 0x102, EC_POINT: 0x181 } as const;
const CKO = { PUBLIC_KEY: 2, PRIVATE_KEY: 3 } as const;
const CKK_EC_EDWARDS = 0x40;
const CKM_EDDSA = 0x1057;
const MAX_SLOTS = 256;
const LABEL_BYTES = 32;
/** Position of the flags in CK_TOKEN_INFO, after four texts. */
const FLAGS_AT = 96;
const CKF_USER_PIN = { FINAL_TRY: 0x20000n, LOCKED: 0x40000n } as const;
/** CK_TOKEN_INFO is smaller. */
const TOKEN_INFO_BYTES = 512;
/** Of an attribute that is read. */
const MAX_VALUE = 256;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The beginning of a DER OCTET STRING of 32 bytes. Some tokens give the point without it. */
const OCTETS = Buffer.from([0x04, PUBLIC_KEY_BYTES]);

/** Without its DER OCTET STRING. A plain point may begin with the same two bytes. */
function plainPoint(point: Buffer): Buffer {
  const isWrapped = point.length === OCTETS.length + PUBLIC_KEY_BYTES && point.subarray(0, OCTETS.length).equals(OCTETS);
  return isWrapped ? point.subarray(OCTETS.length) : point;
}

/** What was asked for is not there, or is there twice. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
  readonly what: 'key' | 'token';
  constructor(what: 'key' | 'token') {
    super(what);
    this.what = what;
  }
}

/** The token reports that one more wrong PIN locks it, or that it is locked. */
export class PinAtRisk extends Error {
  override readonly name = 'PinAtRisk';
  readonly state: 'pin_last_try' | 'pin_locked';
  constructor(state: 'pin_last_try' | 'pin_locked') {
    super(state);
    this.state = state;
  }
}

/** A token with a session of its user. */
export class Token {
  readonly #library: Cryptoki;
  readonly #session: bigint;
  /** The handles of private keys that were found, by label and public key. */
  readonly #found = new Map<string, bigint>();

  private constructor(library: Cryptoki, session: bigint) {
    this.#library = library;
    this.#session = session;
  }

  /** @param library is initialised @throws {NotFound | PinAtRisk | CryptokiError} */
  static open(library: Cryptoki, label: string, pin: string): Token {
    const [session, bytes] = [ulongs(1), Buffer.from(pin)];
    const slot = slotOf(library, label);
    assertHasTries(infoOf(library, slot).flags);
    library.call('C_OpenSession', [slot, CKF_SERIAL_SESSION, null, null, session]);
    library.call('C_Login', [fromUlong(session), CKU_USER, bytes, bytes.length], CKR.USER_ALREADY_LOGGED_IN);
    return new Token(library, fromUlong(session));
  }

  /** The public key of the only Ed25519 key pair with this label, as the token has it now. @throws {NotFound | CryptokiError} */
  publicKey(label: string): Buffer {
    const named = { type: CKA.LABEL, value: Buffer.from(label) };
    const type = { type: CKA.KEY_TYPE, value: ulong(CKK_EC_EDWARDS) };
    const private_key = this.#only(CKO.PRIVATE_KEY, [named, type]);
    const id = { type: CKA.ID, value: this.#read(private_key, CKA.ID) };
    const public_key = plainPoint(this.#read(this.#only(CKO.PUBLIC_KEY, [id, type]), CKA.EC_POINT));
    // Ed448 has the same key type.
    if (public_key.length !== PUBLIC_KEY_BYTES) throw new NotFound('key');
    this.#found.set(nameOf(label, public_key), private_key);
    return public_key;
  }

  /** @throws {NotFound | CryptokiError} NotFound: the label has another key by now */
  sign(label: string, public_key: Uint8Array, message: Uint8Array): Buffer {
    const name = nameOf(label, public_key);
    if (!this.#found.has(name)) this.publicKey(label);
    const private_key = this.#found.get(name);
    if (private_key === undefined) throw new NotFound('key');
    const [signature, length, bytes] = [Buffer.alloc(SIGNATURE_BYTES), ulong(SIGNATURE_BYTES), Buffer.from(message)];
    this.#library.call('C_SignInit', [this.#session, { mechanism: CKM_EDDSA, parameter: null, length: 0 }, private_key]);
    this.#library.call('C_Sign', [this.#session, bytes, bytes.length, signature, length]);
    return signature.subarray(0, Number(fromUlong(length)));
  }

  /** @throws {NotFound} unless there is exactly one object */
  #only(kind: number, attributes: readonly Attribute[]): bigint {
    const wanted = [{ type: CKA.CLASS, value: ulong(kind) }, ...attributes];
    const [found, count] = [ulongs(2), ulongs(1)];
    this.#library.call('C_FindObjectsInit', [this.#session, template(wanted), wanted.length]);
    try {
      this.#library.call('C_FindObjects', [this.#session, found, 2, count]);
    } finally {
      this.#library.call('C_FindObjectsFinal', [this.#session]);
    }
    if (fromUlong(count) !== 1n) throw new NotFound('key');
    return fromUlong(found);
  }

  #read(object: bigint, type: number): Buffer {
    const value = Buffer.alloc(MAX_VALUE);
    const asked = [{ type, value, length: value.length }];
    this.#library.call('C_GetAttributeValue', [this.#session, object, asked, 1]);
    return value.subarray(0, Number(asked[0]?.length ?? 0));
  }
}

function nameOf(label: string, public_key: Uint8Array): string {
  return `${Buffer.from(public_key).toString('hex')} ${label}`;
}

/** A slot whose token cannot be read does not hide the others. @throws {NotFound | CryptokiError} */
function slotOf(library: Cryptoki, label: string): bigint {
  const [slots, count] = [ulongs(MAX_SLOTS), ulong(MAX_SLOTS)];
  library.call('C_GetSlotList', [1, slots, count]);
  const found: bigint[] = [];
  let failure: unknown = new NotFound('token');
  for (let index = 0; index < Number(fromUlong(count)); index += 1) {
    const slot = fromUlong(slots, index);
    try {
      if (infoOf(library, slot).label === label) found.push(slot);
    } catch (error) {
      failure = error;
    }
  }
  const [slot, ...others] = found;
  if (others.length > 0) throw new NotFound('token');
  if (slot === undefined) throw failure;
  return slot;
}

function infoOf(library: Cryptoki, slot: bigint): { readonly label: string; readonly flags: bigint } {
  const info = Buffer.alloc(TOKEN_INFO_BYTES);
  library.call('C_GetTokenInfo', [slot, info]);
  return { label: info.toString('utf8', 0, LABEL_BYTES).trimEnd(), flags: fromUlong(info, FLAGS_AT / ULONG_BYTES) };
}

/** The last try is left to a person: the PIN may be wrong, and a gateway that is restarted would try it again. */
function assertHasTries(flags: bigint): void {
  if ((flags & CKF_USER_PIN.LOCKED) !== 0n) throw new PinAtRisk('pin_locked');
  if ((flags & CKF_USER_PIN.FINAL_TRY) !== 0n) throw new PinAtRisk('pin_last_try');
}
