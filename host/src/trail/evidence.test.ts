import { readFileSync } from 'node:fs';
import { includedRecord, noteSigners, parseProof } from '@svc/ledger/chain';
import { expect, it } from 'vitest';
import { type EvidenceReader, evidenceOfRun, type ShownRun } from './evidence.ts';
import { members } from './values.ts';

const vectors = new URL('../../../test/fixtures/vectors/', import.meta.url);
const vector = (name: string): string => readFileSync(new URL(name, vectors), 'utf8');
const KEY = vector('ledger.vkey').trim();
const PROOF = vector('proofs/7-of-11.tlog-proof');
const { place, content } = includedRecord(parseProof(PROOF));
const PLACE = `${place.seq} ${place.hash}`;
const RUN = {
  ...content,
  route: content.model_id,
  session: members(content.session).id,
} as unknown as ShownRun;

/** @param answers replacement answers, by the last part of the path */
const reader = (answers: Record<string, Partial<{ status: number; text: string; body: unknown }>> = {}): EvidenceReader => ({
  read: async (path) => {
    const name = path.includes('/proof?') ? 'proof' : 'keys';
    const usual = { status: 200, text: PROOF, body: name === 'keys' ? { verifier_keys: [KEY] } : null };
    const answer = { ...usual, ...answers[name] };
    return { ...answer, ok: answer.status === 200 };
  },
  verify: async (proof, keys) => {
    const file = parseProof(proof);
    return { ...includedRecord(file), signed_by: await noteSigners(file.checkpoint, keys) };
  },
});
const verdictOf = async (of: EvidenceReader, run = RUN, named: string | null = PLACE, trusted: string[] = []) =>
  (await evidenceOfRun(of, run, named, trusted)).verdict;

it('the record of a run holds: with the keys of the server, and with keys that the reader trusts', async () => {
  expect(content.record_type).toBe('run_evidence');
  expect(await verdictOf(reader())).toBe('self_attested');
  expect(await verdictOf(reader({ keys: { status: 500 } }), RUN, PLACE, [KEY])).toBe('anchored');
});

it('an event that was added after the end is not in the record', async () => {
  const erased = { event_type: 'erased', stage: 'approval', node: '', data: {} };
  expect(await verdictOf(reader(), { ...RUN, events: [...RUN.events, erased] })).toBe('self_attested');
});

it.each<[string, Partial<ShownRun>]>([
  ['id', { run_id: '00000000-0000-7000-8000-000000000000' }],
  ['principal', { principal_id: 'mallory' }],
  ['route', { route: 'other' }],
  ['status', { status: 'blocked' }],
  ['history', { events: RUN.events.slice(1) }],
])('a run that is shown with another %s than in its record is broken', async (_, shown) => {
  expect(await verdictOf(reader(), { ...RUN, ...shown })).toBe('broken');
});

it.each<[string, EvidenceReader, string | null, string]>([
  ['no place', reader(), null, 'none'],
  ['the place of another record', reader(), `3 ${place.hash}`, 'broken'],
  ['a proof that is invalid', reader({ proof: { text: PROOF.replace('index 6', 'index 5') } }), PLACE, 'broken'],
  ['no such record', reader({ proof: { status: 400 } }), PLACE, 'broken'],
  ['a proof that this key may not read', reader({ proof: { status: 403 } }), PLACE, 'not_checked'],
  ['keys that the server cannot return', reader({ keys: { status: 503 } }), PLACE, 'not_checked'],
  ['no keys', reader({ keys: { body: {} } }), PLACE, 'broken'],
])('with %s', async (_, of, named, verdict) => {
  expect(await verdictOf(of, RUN, named)).toBe(verdict);
});
