import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { MalformedNote } from './malformed-note.ts';

/** Signed notes, https://c2sp.org/signed-note, with Ed25519 keys. */

/** Signature type of Ed25519. */
const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
/** An em dash. */
const SIGNATURE_LINE = /^\u2014 ([^ +]+) ([A-Za-z0-9+/]+={0,2})$/;

export interface Verifier {
  readonly name: string;
  /** The four bytes that distinguish keys with the same name. */
  readonly id: Buffer;
  readonly key: KeyObject;
}

export interface Signer {
  readonly name: string;
  /** Ed25519. */
  readonly privateKey: KeyObject;
}

/** The text of a note, including its final newline, and those of the given keys that signed it. */
export interface OpenedNote {
  readonly text: string;
  readonly signedBy: readonly Verifier[];
}

function rawPublicKey(key: KeyObject): Buffer {
  const { crv, x } = createPublicKey(key).export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new MalformedNote('not an Ed25519 key');
  return Buffer.from(x, 'base64url');
}

function keyId(name: string, raw: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), raw]), 'buffer').subarray(0, KEY_ID_BYTES);
}

function checkName(name: string): void {
  if (name === '' || /[\s+]/u.test(name) || !name.isWellFormed())
    throw new MalformedNote('a key name must not contain spaces or plus signs');
}

/** The public form of a key: `name+id+key`. The id is in hex; the key is in base64, preceded by its type. */
export function verifierKey({ name, privateKey }: Signer): string {
  checkName(name);
  const raw = rawPublicKey(privateKey);
  return `${name}+${keyId(name, raw).toString('hex')}+${Buffer.concat([Buffer.of(ED25519), raw]).toString('base64')}`;
}

/** @throws {MalformedNote} */
export function parseVerifierKey(text: string): Verifier {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  if (parts === null) throw new MalformedNote('not a verifier key: expected NAME+ID+KEY on one line');
  const [, name = '', id = '', encoded = ''] = parts;
  checkName(name);
  const typed = Buffer.from(encoded, 'base64');
  const raw = typed.subarray(1);
  if (typed[0] !== ED25519 || raw.length !== PUBLIC_KEY_BYTES) throw new MalformedNote('not an Ed25519 key');
  if (keyId(name, raw).toString('hex') !== id) throw new MalformedNote('the id does not match the key');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });
  return { name, id: Buffer.from(id, 'hex'), key };
}

/** @param text ends with a newline and has no empty line. The first signer's signature comes first. */
export function signNote(text: string, signers: readonly Signer[]): string {
  checkText(text);
  const lines = signers.map(({ name, privateKey }) => {
    checkName(name);
    const id = keyId(name, rawPublicKey(privateKey));
    const signature = sign(null, Buffer.from(text), privateKey);
    return `\u2014 ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/**
 * Opens a note. Signatures by keys that are not in `verifiers` are ignored. An invalid signature by a known key makes the note invalid.
 * @throws {MalformedNote}
 */
export function openNote(note: string, verifiers: readonly Verifier[]): OpenedNote {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new MalformedNote('not a signed note: expected text, an empty line and signatures');
  const text = note.slice(0, end + 1);
  checkText(text);
  const lines = note.slice(end + 2, -1).split('\n');
  const signedBy = new Set<Verifier>();
  for (const line of lines) {
    const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    // Non-zero padding bits would allow two encodings of one signature.
    if (bytes.length <= KEY_ID_BYTES || bytes.toString('base64') !== encoded)
      throw new MalformedNote('a signature line is malformed');
    const id = bytes.subarray(0, KEY_ID_BYTES);
    const known = verifiers.find((verifier) => verifier.name === name && verifier.id.equals(id));
    if (known === undefined) continue;
    if (!verify(null, Buffer.from(text), known.key, bytes.subarray(KEY_ID_BYTES)))
      throw new MalformedNote(`the signature of ${name} is invalid`);
    signedBy.add(known);
  }
  return { text, signedBy: [...signedBy] };
}

function checkText(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the format forbids them
  if (!text.endsWith('\n') || !text.isWellFormed() || /[\u0000-\u0009\u000b-\u001f]/.test(text))
    throw new MalformedNote('the text of a note must be lines without control characters');
}
