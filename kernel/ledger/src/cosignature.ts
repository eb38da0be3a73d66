import { verify } from 'node:crypto';
import { MalformedNote } from './malformed-note.ts';
import { publicKeyOf, type Signer, type Verifier } from './note.ts';
import {
  COSIGNATURE,
  checkName,
  keyIdOf,
  noteKeyText,
  parseNote,
  parseNoteKey,
  signatureLine,
  wrongSignature,
} from './note-text.ts';

/** Cosignatures of witnesses over checkpoints, https://c2sp.org/tlog-cosignature, cosignature/v1. */

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
const NEVER = new AbortController().signal;

/** A valid cosignature. */
export interface Cosignature {
  readonly witness: Verifier;
  /** When the witness signed, in seconds since the epoch: at that time, this was the largest tree of the log that it had seen. */
  readonly time_s: number;
  /** The line of the note, with its newline. */
  readonly line: string;
}

/** The public key of a witness in its public form, `name+id+key`. @throws {MalformedNote} */
export function parseWitnessKey(text: string): Verifier {
  const { name, id, raw } = parseNoteKey(text, COSIGNATURE);
  return { name, id: Buffer.from(id, 'hex'), key: publicKeyOf(raw) };
}

/** The public form of the key of a witness. */
export function witnessKey({ name, key }: Signer): string {
  checkName(name);
  return noteKeyText(name, key.public_key, COSIGNATURE);
}

/** The signature line of a witness under the text of a checkpoint, with its newline. */
export async function cosign(text: string, { name, key }: Signer, time_s: number): Promise<string> {
  checkName(name);
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(time_s));
  const signature = await key.sign(Buffer.from(messageOf(text, time_s)), NEVER);
  return signatureLine(name, keyIdOf(name, key.public_key, COSIGNATURE), Buffer.concat([time, signature]));
}

/**
 * The cosignatures of known witnesses in a note, at most one of each. Other signatures are ignored.
 * @throws {MalformedNote} if a cosignature of a known witness is invalid
 */
export function cosignaturesIn(note: string, witnesses: readonly Verifier[]): Cosignature[] {
  const { text, signatures } = parseNote(note);
  const found = new Map<Verifier, Cosignature>();
  for (const { name, id, bytes } of signatures) {
    const witness = witnesses.find((known) => known.name === name && known.id.toString('hex') === id);
    if (witness === undefined) continue;
    const time = bytes.length === TIME_BYTES + SIGNATURE_BYTES ? Buffer.from(bytes).readBigUInt64BE() : null;
    const time_s = Number(time);
    const signature = bytes.subarray(TIME_BYTES);
    if (
      time === null ||
      !Number.isSafeInteger(time_s) ||
      !verify(null, Buffer.from(messageOf(text, time_s)), witness.key, signature)
    )
      throw wrongSignature(name);
    found.set(witness, { witness, time_s, line: signatureLine(name, id, bytes) });
  }
  return [...found.values()];
}

/** A note with more signature lines. Lines that it has already are not repeated. @throws {MalformedNote} */
export function withSignatures(note: string, lines: readonly string[]): string {
  const known = new Set(note.split('\n'));
  const added = lines.filter((line) => !known.has(line.trimEnd()));
  const whole = note + added.join('');
  parseNote(whole);
  return whole;
}

function messageOf(text: string, time_s: number): string {
  if (!text.endsWith('\n')) throw new MalformedNote('the text of a checkpoint must end with a newline');
  return `cosignature/v1\ntime ${time_s}\n${text}`;
}
