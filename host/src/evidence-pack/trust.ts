import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Checkpoint,
  cosignaturesIn,
  openNote,
  parseCheckpoint,
  parsePolicy,
  parseVerifierKey,
  type Verifier,
  type WitnessPolicy,
} from '@svc/ledger';
import type { ReadCertificate } from '../timestamps/certificate-chain.ts';
import { readRoots } from '../timestamps/roots.ts';
import { checkTimestamp } from '../timestamps/timestamp-response.ts';
import { FILES } from './files.ts';
import { PackFault } from './pack-fault.ts';

/** Whom a verifier believes. */
export interface Trust {
  readonly keys: readonly Verifier[];
  /** Null: not known, so cosignatures are not checked. */
  readonly policy: WitnessPolicy | null;
  /** Null: not known, so time stamps are not checked. */
  readonly roots: readonly ReadCertificate[] | null;
  /** Whether a pack without enough cosignatures, or without a time stamp, is refused. */
  readonly needs: { readonly cosignatures: boolean; readonly timestamp: boolean };
}

/** What witnesses vouch for. `none`: no checkpoint has enough cosignatures. `unchecked`: the keys of the witnesses are not known. */
export type CosignedBy =
  | { readonly state: 'none' }
  | { readonly state: 'unchecked' }
  | {
      readonly state: 'checked';
      readonly size: number;
      readonly by: readonly { readonly name: string; readonly time: string }[];
    };

/** What a time-stamp authority states. `unchecked`: its root certificates are not known. */
export type StampedBy =
  | { readonly state: 'none' }
  | { readonly state: 'unchecked' }
  | { readonly state: 'checked'; readonly size: number; readonly time: string; readonly authority: string };

/** Whom the pack itself names. @throws if a file is malformed */
export async function trustIn(folder: string): Promise<Trust> {
  const path = (name: string) => join(folder, name);
  return {
    keys: parseKeys(await readFile(path(FILES.keys), 'utf8')),
    policy: existsSync(path(FILES.policy)) ? parsePolicy(await readFile(path(FILES.policy), 'utf8')) : null,
    roots: existsSync(path(FILES.roots)) ? await rootsIn(path(FILES.roots)) : null,
    needs: { cosignatures: false, timestamp: false },
  };
}

/** Verifier keys, one a line. @throws {MalformedNote} */
export function parseKeys(text: string): Verifier[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseVerifierKey);
}

/** @throws {PackFault} */
export async function rootsIn(file: string): Promise<readonly ReadCertificate[]> {
  const roots = await readRoots(file);
  if (roots === null) throw new PackFault(`${file} cannot be read, or does not contain PEM certificates`);
  return roots;
}

/** A checkpoint that one of the keys has signed, and who signed it. @throws {MalformedNote} or {@link PackFault} */
export function signedCheckpoint(
  name: string,
  note: string,
  { keys }: Trust,
): Checkpoint & { readonly signed_by: readonly string[]; readonly text: string } {
  const { text, signedBy } = openNote(note, keys);
  if (signedBy.length === 0) throw new PackFault(`${name} is not signed by any of the keys`);
  return { ...parseCheckpoint(text), text, signed_by: signedBy.map(({ name, id }) => `${name}+${id.toString('hex')}`) };
}

/** @throws {MalformedNote} if a cosignature is invalid, {@link PackFault} if the policy asks for more */
export function cosignersOf(note: string, size: number, { policy }: Trust): CosignedBy {
  if (policy === null) return { state: 'unchecked' };
  const witnesses = policy.witnesses.map(({ verifier }) => verifier);
  const cosignatures = cosignaturesIn(note, witnesses);
  if (!policy.isQuorum(new Set(cosignatures.map(({ witness }) => witness))))
    throw new PackFault(`the policy requires more cosignatures: ${FILES.cosigned} has ${cosignatures.length} from its witnesses`);
  // A policy may ask for nobody.
  if (cosignatures.length === 0) return { state: 'none' };
  const by = cosignatures.map(({ witness, time_s }) => ({ name: witness.name, time: new Date(time_s * 1000).toISOString() }));
  return { state: 'checked', size, by: by.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** @throws {InvalidTimestamp} */
export function stampOf(reply: Uint8Array, note: Uint8Array, size: number, { roots }: Trust): StampedBy {
  if (roots === null) return { state: 'unchecked' };
  const { time, authority } = checkTimestamp(reply, note, roots, null);
  return { state: 'checked', size, time: time.toISOString(), authority };
}
