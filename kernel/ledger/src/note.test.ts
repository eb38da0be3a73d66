import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedNote } from './malformed-note.ts';
import { openNote, parseVerifierKey, type Signer, signingKey, signNote, verifierKey } from './note.ts';

const newSigner = (name: string): Signer => ({ name, key: signingKey(generateKeyPairSync('ed25519').privateKey) });

describe('signed notes', () => {
  it('opens the note in the documentation of the format', () => {
    const verifier = parseVerifierKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
    const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    const line =
      '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
    expect(openNote(`${text}\n${line}`, [verifier])).toEqual({ text, signedBy: [verifier] });
    expect(() => openNote(`${text.replace('think', 'thank')}\n${line}`, [verifier])).toThrow(MalformedNote);
  });

  it('is signed by several keys, and opens with each of them; unknown keys are ignored', async () => {
    const [old, young, other] = [newSigner('example.org/gateway'), newSigner('example.org/gateway'), newSigner('witness')];
    const note = await signNote('a\nb\n', [young, old, other]);
    const verifiers = [old, young].map((signer) => parseVerifierKey(verifierKey(signer)));
    expect(openNote(note, verifiers).signedBy).toHaveLength(2);
    expect(openNote(note, []).signedBy).toEqual([]);
    for (const verifier of verifiers) expect(openNote(note, [verifier]).signedBy).toEqual([verifier]);
  });

  it('a changed note does not open with its key, or has no signature by it', async () => {
    const signer = newSigner('example.org/gateway');
    const verifier = parseVerifierKey(verifierKey(signer));
    const note = await signNote('example.org/gateway\n17\nAAAA\n', [signer]);
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.constantFrom('a', '7', '\n', '+', '=', ' ', '\u2014'), (at, character) => {
        fc.pre(note[at] !== character);
        const changed = note.slice(0, at) + character + note.slice(at + 1);
        try {
          expect(openNote(changed, [verifier]).signedBy).toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedNote);
        }
      }),
    );
  });

  it.each(['', 'name', 'name+0000', 'a b+c74f20a3+ARpc', 'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'])(
    '%j is no key',
    (text) => {
      expect(() => parseVerifierKey(text)).toThrow(MalformedNote);
    },
  );
});
