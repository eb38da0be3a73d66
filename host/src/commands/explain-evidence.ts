import { isDeepStrictEqual } from 'node:util';
import { RunEvidence } from '@svc/contracts';
import { MalformedNote, parseProof, parseVerifierKey, type Verifier, verifyProof } from '@svc/ledger';
import { Value } from 'typebox/value';
import { answerOf, type ServerAnswer } from './ask-server.ts';
import { nameOf, type Verdict } from './ledger-keys.ts';
import { members } from './run-steps.ts';
import { AUDIT_HINTS, type ServedRun } from './runs-of-server.ts';
import { printable, styled } from './terminal.ts';

/** `none`: the run has no record that this key may see. `not_checked`: this key may not read proofs, or the server cannot answer now. */
export interface Evidence {
  readonly verdict: Verdict | 'none' | 'not_checked';
  readonly seq: number | null;
  readonly hash: string | null;
  /** The ledger. Null until its checkpoint was read. */
  readonly checkpoint: { readonly origin: string; readonly size: number } | null;
  readonly signed_by: readonly string[];
  /** Why the record could not be proven. Empty if it was proven. */
  readonly why: string;
}

/**
 * Verifies a run's record by an inclusion proof. Checks that the record has the hash and the position that the run states, is evidence of
 * this run with the same history, and is covered by a checkpoint signed by one of the given keys (without any, by one of the server's
 * keys).
 * @throws {CliError} if the server cannot be reached
 */
export async function evidenceOfRun(
  server: string,
  run: ServedRun,
  place: string | null,
  keys: readonly Verifier[],
): Promise<Evidence> {
  const [, seq, hash = ''] = /^([1-9][0-9]*) (\S+)$/.exec(place ?? '') ?? [];
  const nothing = { seq: null, hash: null, checkpoint: null, signed_by: [] };
  if (seq === undefined) return { ...nothing, verdict: 'none', why: 'the run has not ended, or this key may not see its record' };
  const named = { ...nothing, seq: Number(seq), hash };
  const proof = await answerOf(server, { method: 'GET', path: `/v1/audit/ledger/proof?seq=${seq}` }, AUDIT_HINTS);
  if (!proof.ok) return { ...named, verdict: isRefusal(proof.status) ? 'not_checked' : 'broken', why: detailOf(proof) };
  const served = keys.length > 0 ? null : await answerOf(server, { method: 'GET', path: '/v1/audit/ledger/keys' }, AUDIT_HINTS);
  if (served?.ok === false) return { ...named, verdict: 'not_checked', why: detailOf(served) };
  try {
    const { place: found, checkpoint, signedBy } = verifyProof(proof.text, served === null ? keys : keysIn(served.body));
    const proven = {
      ...named,
      checkpoint: { origin: checkpoint.origin, size: checkpoint.size },
      signed_by: signedBy.map(nameOf),
    };
    const why = faultOf(run, found.seq === named.seq && found.hash === hash, parseProof(proof.text).record, signedBy.length);
    return { ...proven, verdict: why !== '' ? 'broken' : keys.length > 0 ? 'anchored' : 'self_attested', why };
  } catch (error) {
    if (error instanceof MalformedNote) return { ...named, verdict: 'broken', why: error.message };
    throw error;
  }
}

function detailOf({ body, status }: ServerAnswer): string {
  return String(members(body).detail ?? `the server answered ${status}`);
}

/** Whether a status says nothing about the record, because it means no access, a limit, or a server that cannot answer now. */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}

function faultOf({ run_id, events, status }: ServedRun, isPlace: boolean, text: string, signers: number): string {
  const record: unknown = JSON.parse(text);
  if (!isPlace) return 'the record of the proof is not the one that the run names';
  if (!Value.Check(RunEvidence, record) || record.run_id !== run_id) return 'the record is not evidence of this run';
  // An erasure is added to the events after the run has ended.
  const same = record.status === status && isDeepStrictEqual(record.events, events.slice(0, record.events.length));
  if (!same) return 'the record has another history than the server shows for this run';
  return signers === 0 ? 'the checkpoint is not signed by any of the keys' : '';
}

/** @throws {MalformedNote} */
function keysIn(body: unknown): Verifier[] {
  const { verifier_keys } = members(body);
  return Array.isArray(verifier_keys) ? verifier_keys.map((key) => parseVerifierKey(String(key))) : [];
}

export function evidenceLine({ verdict, seq, hash, checkpoint, signed_by, why }: Evidence): string {
  const record = `record ${seq} (${printable(hash ?? '')})`;
  const ledger = `record of this run, in the signed ledger "${printable(checkpoint?.origin ?? '')}" of ${checkpoint?.size} records`;
  switch (verdict) {
    case 'none':
      return `evidence: none: ${why}`;
    case 'not_checked':
      return `evidence: ${record}, ${styled('yellow', 'not checked')}: ${printable(why)}`;
    case 'broken':
      return `evidence: ${record}, ${styled('red', 'BROKEN')}: ${printable(why)}`;
    case 'self_attested':
      return `evidence: ${record}, ${styled('yellow', 'valid, but SELF-ATTESTED ONLY')}: ${ledger}; only keys that the server returned were checked: add --key`;
    case 'anchored':
      return `evidence: ${record}, ${styled('green', 'PROVEN')}: ${ledger}, signed by ${printable(signed_by.join(', '))}`;
  }
}
