import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { SigningKey } from '@svc/contracts';
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

/** A key, and the name under which it signs. */
export interface Signer {
  readonly name: string;
  readonly key: SigningKey;
}

/** The text of a note, including its final newline, and those of the given keys that signed it. */
export interface OpenedNote {
  readonly text: string;
  readonly signedBy: readonly Verifier[];
}

const NEVER = new AbortController().signal;

/** A key that signs in this process. @param privateKey Ed25519 @throws {MalformedNote} for another kind of key */
export function signingKey(privateKey: KeyObject): SigningKey {
  const { crv, x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new MalformedNote('not an Ed25519 key');
  return { public_key: Buffer.from(x, 'base64url'), sign: async (message) => sign(null, message, privateKey) };
}

/** Whether the signature over the message is by this Ed25519 key of 32 bytes. */
export function isSignedBy(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, publicKeyOf(public_key), signature);
}

/** The public form of a key: `name+id+key`. */
export function verifierKey({ name, key }: Signer): string {
  checkName(name);
  return noteKeyText(name, key.public_key);
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

/**
 * @param text ends with a newline and has no empty line. The first signer's signature comes first.
 * @throws whatever a key throws; there is no note without all signatures
 */
export async function signNote(text: string, signers: readonly Signer[], signal: AbortSignal = NEVER): Promise<string> {
  checkText(text);
  for (const { name } of signers) checkName(name);
  const lines = signers.map(async ({ name, key }) =>
    signatureLine(name, keyIdOf(name, key.public_key), await key.sign(Buffer.from(text), signal)),
  );
  return `${text}\n${(await Promise.all(lines)).join('')}`;
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
