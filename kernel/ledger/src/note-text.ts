import { sha256Hex } from '#digest';
import { base64Of, fromBase64 } from './bytes.ts';
import { MalformedNote } from './malformed-note.ts';

/** The text form of signed notes, https://c2sp.org/signed-note, and of their Ed25519 keys. Runs in browsers too. */

/** Signature type of Ed25519. */
const ED25519 = 0x01;
/** Signature type of a cosignature with a time, by an Ed25519 key. */
export const COSIGNATURE = 0x04;
type KeyType = typeof ED25519 | typeof COSIGNATURE;
const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
/** An em dash. */
const SIGNATURE_LINE = /^\u2014 ([^ +]+) ([A-Za-z0-9+/]+={0,2})$/;

/** A public key. */
export interface NoteKey {
  readonly name: string;
  /** Distinguishes keys with the same name: four bytes in hex. */
  readonly id: string;
  /** 32 bytes. */
  readonly raw: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A note, not verified. `text` has its final newline. */
export interface ParsedNote {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const encoder = new TextEncoder();

export function keyIdOf(name: string, raw: Uint8Array, type: KeyType = ED25519): string {
  return sha256Hex(Uint8Array.of(...encoder.encode(`${name}\n`), type, ...raw)).slice(0, 2 * KEY_ID_BYTES);
}

/** The public form of a key: `name+id+key`. The id is in hex; the key is in base64, preceded by its type. */
export function noteKeyText(name: string, raw: Uint8Array, type: KeyType = ED25519): string {
  return `${name}+${keyIdOf(name, raw, type)}+${base64Of(Uint8Array.of(type, ...raw))}`;
}

/** A signature line with its newline. @param id of the key, in hex */
export function signatureLine(name: string, id: string, signature: Uint8Array): string {
  const key = id.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  return `\u2014 ${name} ${base64Of(Uint8Array.of(...key, ...signature))}\n`;
}

/** Reads a key in its public form, `name+id+key`. @throws {MalformedNote} */
export function parseNoteKey(text: string, type: KeyType = ED25519): NoteKey {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  if (parts === null) throw new MalformedNote('not a verifier key: expected NAME+ID+KEY on one line');
  const [, name = '', id = '', encoded = ''] = parts;
  checkName(name);
  const typed = fromBase64(encoded);
  if (typed?.[0] !== type || typed.length !== 1 + PUBLIC_KEY_BYTES)
    throw new MalformedNote(type === COSIGNATURE ? 'not the Ed25519 key of a witness' : 'not an Ed25519 key');
  const raw = typed.subarray(1);
  if (keyIdOf(name, raw, type) !== id) throw new MalformedNote('the id does not match the key');
  return { name, id, raw };
}

/** @throws {MalformedNote} */
export function parseNote(note: string): ParsedNote {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new MalformedNote('not a signed note: expected text, an empty line and signatures');
  const text = note.slice(0, end + 1);
  checkText(text);
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map((line) => {
      const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
      const bytes = fromBase64(encoded);
      if (bytes === null || bytes.length <= KEY_ID_BYTES) throw new MalformedNote('a signature line is malformed');
      return { name, id: hexOf(bytes.subarray(0, KEY_ID_BYTES)), bytes: bytes.subarray(KEY_ID_BYTES) };
    });
  return { text, signatures };
}

/** @throws {MalformedNote} */
export function checkName(name: string): void {
  if (name === '' || /[\s+]/u.test(name) || !name.isWellFormed())
    throw new MalformedNote('a key name must not contain spaces or plus signs');
}

/** @throws {MalformedNote} */
export function checkText(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the format forbids them
  if (!text.endsWith('\n') || !text.isWellFormed() || /[\u0000-\u0009\u000b-\u001f]/.test(text))
    throw new MalformedNote('the text of a note must be lines without control characters');
}

export function wrongSignature(name: string): MalformedNote {
  return new MalformedNote(`the signature of ${name} is invalid`);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
