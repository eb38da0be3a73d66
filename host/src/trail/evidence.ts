import type { RunEvidence } from '@svc/contracts';
import { canonicalJson, MalformedNote } from '@svc/ledger/chain';
import { members } from './values.ts';

/** `none`: the run has no record that this key may see. `not_checked`: the key may not read proofs, or the server is unavailable. */
export interface Evidence {
  /** `self_attested`: only keys that the server returned were checked. `anchored`: keys that the reader trusts. */
  readonly verdict: 'anchored' | 'self_attested' | 'broken' | 'none' | 'not_checked';
  readonly seq: number | null;
  readonly hash: string | null;
  /** The ledger, once its checkpoint was read. */
  readonly checkpoint: { readonly origin: string; readonly size: number } | null;
  /** `name+id` of each key. Null: the signature could not be checked here. */
  readonly signed_by: readonly string[] | null;
  /** Why the record was not proven; empty if it was. */
  readonly why: string;
}

/** What the server reports about a run, and what its record must contain. */
export interface ShownRun {
  readonly run_id: string;
  readonly route: string;
  readonly principal_id: string;
  readonly status: string;
  readonly session?: string;
  readonly events: RunEvidence['events'];
}

export interface AuditAnswer {
  readonly ok: boolean;
  readonly status: number;
  /** Null if it is not JSON. */
  readonly body: unknown;
  readonly text: string;
}

/** A valid proof of a record. */
export interface Proven {
  readonly place: { readonly seq: number; readonly hash: string };
  readonly content: Readonly<Record<string, unknown>>;
  readonly checkpoint: { readonly origin: string; readonly size: number };
  readonly signed_by: readonly string[] | null;
}

export interface EvidenceReader {
  read(path: string): Promise<AuditAnswer>;
  /** @param keys each as `name+id+key` @throws {MalformedNote} for an invalid proof */
  verify(proof: string, keys: readonly string[]): Promise<Proven>;
}

/**
 * Verifies a run's record by an inclusion proof. Checks that the record has the hash and the position that the run states, is evidence of
 * this run with the same history, and is covered by a checkpoint signed by one of the keys.
 * @param place `seq hash` of the record, as the server states it; null: it states none
 * @param trusted keys that the reader trusts; none: the server's keys are used
 */
export async function evidenceOfRun(
  { read, verify }: EvidenceReader,
  run: ShownRun,
  place: string | null,
  trusted: readonly string[] = [],
): Promise<Evidence> {
  const [, seq, hash = ''] = /^([1-9][0-9]*) (\S+)$/.exec(place ?? '') ?? [];
  const nothing = { seq: null, hash: null, checkpoint: null, signed_by: [] };
  if (seq === undefined) return { ...nothing, verdict: 'none', why: 'the run has not ended, or this key may not see its record' };
  const named = { ...nothing, seq: Number(seq), hash };
  const proof = await read(`/v1/audit/ledger/proof?seq=${seq}`);
  if (!proof.ok) return { ...named, verdict: isRefusal(proof.status) ? 'not_checked' : 'broken', why: detailOf(proof) };
  const served = trusted.length > 0 ? null : await read('/v1/audit/ledger/keys');
  if (served?.ok === false) return { ...named, verdict: 'not_checked', why: detailOf(served) };
  try {
    const proven = await verify(proof.text, served === null ? trusted : keysIn(served.body));
    const { origin, size } = proven.checkpoint;
    const why = faultOf(run, proven.place.seq === named.seq && proven.place.hash === hash, proven);
    const verdict = why !== '' ? 'broken' : served === null ? 'anchored' : 'self_attested';
    return { ...named, verdict, checkpoint: { origin, size }, signed_by: proven.signed_by, why };
  } catch (error) {
    if (error instanceof MalformedNote) return { ...named, verdict: 'broken', why: error.message };
    throw error;
  }
}

function detailOf({ body, status }: AuditAnswer): string {
  return String(members(body).detail ?? `the server answered ${status}`);
}

/** Whether a status says nothing about the record: no access, a limit, or an unavailable server. */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}

function faultOf(run: ShownRun, isPlace: boolean, { content, signed_by }: Proven): string {
  const { record_type, run_id, model_id, principal_id, status, session, events } = content;
  if (!isPlace) return 'the proof is for another record than the one that the run names';
  if (record_type !== 'run_evidence' || run_id !== run.run_id || !Array.isArray(events))
    return 'the record is not evidence of this run';
  const isSame =
    model_id === run.route &&
    principal_id === run.principal_id &&
    status === run.status &&
    (session === undefined || members(session).id === run.session) &&
    // An erasure event is added after the record.
    canonicalJson(events) === canonicalJson(run.events.slice(0, events.length));
  if (!isSame) return 'the history in the record differs from the one that the server shows for this run';
  return signed_by?.length === 0 ? 'the checkpoint is not signed by any of the keys' : '';
}

function keysIn(body: unknown): string[] {
  const { verifier_keys } = members(body);
  return Array.isArray(verifier_keys) ? verifier_keys.map(String) : [];
}
