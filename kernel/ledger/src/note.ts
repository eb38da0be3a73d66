import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { MalformedNote } from './malformed-note.ts';
import {
  checkName,
  checkText,
  keyIdOf,
  noteKeyText,
  parseNote,
  parseNoteKey,
  signatureLine,
  wrongSignature,
} from './note-text.ts';

/** Signs notes and verifies them, with Ed25519 keys. */

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

export function rawPublicKey(key: KeyObject): Buffer {
  const { crv, x } = createPublicKey(key).export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new MalformedNote('not an Ed25519 key');
  return Buffer.from(x, 'base64url');
}

/** The public form of a key: `name+id+key`. */
export function verifierKey({ name, privateKey }: Signer): string {
  checkName(name);
  return noteKeyText(name, rawPublicKey(privateKey));
}

/** @throws {MalformedNote} */
export function parseVerifierKey(text: string): Verifier {
  const { name, id, raw } = parseNoteKey(text);
  return { name, id: Buffer.from(id, 'hex'), key: publicKeyOf(raw) };
}

export function publicKeyOf(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** @param text ends with a newline and has no empty line. The first signer's signature comes first. */
export function signNote(text: string, signers: readonly Signer[]): string {
  checkText(text);
  const lines = signers.map(({ name, privateKey }) => {
    checkName(name);
    return signatureLine(name, keyIdOf(name, rawPublicKey(privateKey)), sign(null, Buffer.from(text), privateKey));
  });
  return `${text}\n${lines.join('')}`;
}

/**
 * Opens a note. Signatures by keys that are not in `verifiers` are ignored. An invalid signature by a known key makes the note invalid.
 * @throws {MalformedNote}
 */
export function openNote(note: string, verifiers: readonly Verifier[]): OpenedNote {
  const { text, signatures } = parseNote(note);
  const signedBy = new Set<Verifier>();
  for (const { name, id, bytes } of signatures) {
    const known = verifiers.find((verifier) => verifier.name === name && verifier.id.toString('hex') === id);
    if (known === undefined) continue;
    if (!verify(null, Buffer.from(text), known.key, bytes)) throw wrongSignature(name);
    signedBy.add(known);
  }
  return { text, signedBy: [...signedBy] };
}
