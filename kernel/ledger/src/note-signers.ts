import { type NoteKey, parseNote, parseNoteKey, wrongSignature } from './note-text.ts';

/**
 * The given keys that signed a note, as `name+id`. The same as `openNote`, with Web Crypto.
 * @param keys each as `name+id+key`
 * @returns null: this browser cannot verify Ed25519, or not on a page that was served over plain http
 * @throws {MalformedNote}
 */
export async function noteSigners(note: string, keys: readonly string[]): Promise<readonly string[] | null> {
  const { text, signatures } = parseNote(note);
  const known = keys.map((key) => parseNoteKey(key));
  const signers = new Set<string>();
  for (const { name, id, bytes } of signatures) {
    const key = known.find((one) => one.name === name && one.id === id);
    if (key === undefined) continue;
    const isValid = await isSignedBy(key, text, bytes);
    if (isValid === null) return null;
    if (!isValid) throw wrongSignature(name);
    signers.add(`${name}+${id}`);
  }
  return [...signers];
}

async function isSignedBy({ raw }: NoteKey, text: string, signature: Uint8Array): Promise<boolean | null> {
  // Browsers offer it only to pages served over https:// or from the same machine.
  const subtle = globalThis.crypto.subtle as typeof crypto.subtle | undefined;
  const key = await subtle?.importKey('raw', new Uint8Array(raw), 'Ed25519', false, ['verify']).catch(() => null);
  if (subtle === undefined || !key) return null;
  return subtle.verify('Ed25519', key, new Uint8Array(signature), new TextEncoder().encode(text));
}
