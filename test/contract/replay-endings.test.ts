import type { Guard } from '@svc/contracts';
import type { Replayed } from '@svc/runtime';
import { afterEach, expect, it } from 'vitest';
import {
  ALLOW,
  completionOf,
  type Kept,
  type Node,
  nodeOf,
  OpenGateway,
  PAUSE,
  type RouteParts,
} from '../harness/open-gateway.ts';

let open: OpenGateway;
afterEach(() => open.dispose());

const KEPT: Kept = { record_content: true };
const BLOCK = { ...PAUSE, verdict: 'block', code: 'stop' } as const;

const complete: NonNullable<RouteParts['complete']> = async () => ({ completion: completionOf('answer'), unsupported: [] });
const pausing = (name: string): Node => nodeOf(name, { check: () => PAUSE });
const blocking = (name: string): Node => nodeOf(name, { check: () => BLOCK });

/** Changes of the only run, or why it is left out. */
async function only(parts: RouteParts): Promise<Replayed['result']> {
  const runs = await open.replay(parts);
  expect(runs).toHaveLength(1);
  return (runs[0] as Replayed).result;
}

/** A check of a request, recorded as a run. */
async function check(parts: RouteParts): Promise<void> {
  open = await OpenGateway.start(parts, KEPT);
  await open.check('text');
}

it('a guard that pauses blocks a check, so later guards do not change it', async () => {
  const parts = { ingress: [pausing('a'), blocking('b')], complete };
  await check(parts);
  expect(await only(parts)).toMatchObject({ before: { blocked: { node: 'a' }, paused: [] }, change: null });
  expect(await only({ ingress: [pausing('b')], complete })).toMatchObject({ after: { paused: [] }, change: null });
  expect(await only({ complete })).toMatchObject({ change: { change: 'freed', by: [{ node: 'a' }] } });
});

it('a run that found no room to wait ended at its pause', async () => {
  let isFirst = true;
  const parts: RouteParts = {
    egress: [pausing('a'), blocking('b')],
    complete: async () => {
      // Another run takes the only place while this one waits for its answer.
      const takes = isFirst;
      isFirst = false;
      if (takes) await open.start('other');
      return { completion: completionOf('answer'), unsupported: [] };
    },
  };
  open = await OpenGateway.start(parts, { ...KEPT, max_paused: { in_all: 1, per_principal: 1 } });
  const { row } = await open.start('text');
  expect(row.status).toBe('error');
  const found = (await open.replay(parts)).find(({ row: { run_id } }) => run_id === row.run_id);
  expect(found?.result).toMatchObject({ before: { paused: [{ node: 'a' }] }, after: { paused: [{ node: 'a' }] }, change: null });
});

it('counts as many pauses as there were, if the last one was denied', async () => {
  const parts = { ingress: [pausing('a'), pausing('b'), pausing('c')], complete };
  open = await OpenGateway.start(parts, KEPT);
  const { row } = await open.start('text');
  await open.runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null });
  await open.runs.resume(row.run_id, 'bob', { decision: 'denied', digest: null });
  const result = await only(parts);
  expect(result).toMatchObject({ before: { paused: [{ node: 'a' }, { node: 'b' }] }, change: null });
  expect(result).toHaveProperty('after.paused', [expect.objectContaining({ node: 'a' }), expect.objectContaining({ node: 'b' })]);
});

it('is left out if the caller left before the guards had decided', async () => {
  const gone = new AbortController();
  const leaving = nodeOf('a', {
    check: () => {
      gone.abort();
      return ALLOW;
    },
  });
  const parts = { ingress: [leaving, blocking('b')], complete };
  open = await OpenGateway.start(parts, KEPT);
  await open.startStreamed('text', [], gone.signal);
  expect(await only(parts)).toBe('undecided');
});

it('is left out if a guard failed that would be asked now', async () => {
  let calls = 0;
  const check: Guard['check'] = () => {
    calls += 1;
    if (calls === 1) throw new Error('broken');
    return ALLOW;
  };
  const parts = { ingress: [nodeOf('a', { check })], complete };
  open = await OpenGateway.start(parts, KEPT);
  expect((await open.start('text')).row.status).toBe('blocked');
  expect(await only(parts)).toBe('undecided');
  expect(await only({ complete })).toMatchObject({ change: { change: 'freed', by: [{ node: 'a' }] } });
});

it('is compared if the model failed', async () => {
  const parts: RouteParts = { complete: () => Promise.reject(new Error('down')) };
  open = await OpenGateway.start(parts, KEPT);
  await open.start('text');
  expect(await only(parts)).toMatchObject({ change: null });
  expect(await only({ ...parts, ingress: [blocking('b')] })).toMatchObject({ change: { change: 'newly_blocked' } });
});

it('a guard that reserves keeps what it said about endpoints, and after a pause', async () => {
  const reserving = (more: Partial<Guard>) =>
    nodeOf('budget', { check: () => ALLOW, reservations: { revalidate: () => ALLOW, settle: () => null }, ...more });
  const refusing = { ingress: [reserving({ endpoint: () => ({ verdict: 'block', code: 'over-budget' }) })], complete };
  open = await OpenGateway.start(refusing, KEPT);
  expect((await open.start('text')).row.status).toBe('blocked');
  expect(await only(refusing)).toMatchObject({ after: { blocked: { node: 'budget', stage: 'execute' } }, change: null });
  await open.dispose();

  const spent = reserving({ reservations: { revalidate: () => BLOCK, settle: () => null } });
  const parts = { ingress: [spent, pausing('a')], complete };
  open = await OpenGateway.start(parts, KEPT);
  const { row } = await open.start('text');
  await open.runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null });
  expect(await only(parts)).toMatchObject({ after: { blocked: { node: 'budget' }, paused: [{ node: 'a' }] }, change: null });
});

it('guards before a retrieval do not see its documents, and later ones do', async () => {
  const documents = nodeOf('docs', {
    check: () => ({ ...ALLOW, context: { text: 'a secret document', sources: [{ id: 'one', score: 0.5 }] } }),
  });
  const retrieving = { ...documents, namespaces: ['docs'] };
  const onSecret = nodeOf('secret', {
    check: (segments) => (segments.some(({ text }) => text.includes('secret')) ? BLOCK : ALLOW),
  });
  const parts = { ingress: [onSecret, retrieving], complete };
  open = await OpenGateway.start(parts, KEPT);
  expect((await open.start('text')).row.status).toBe('completed');
  expect(await only(parts)).toMatchObject({ change: null, asked: ['secret'] });
  expect(await only({ ingress: [onSecret], complete })).toMatchObject({ change: null });
  const after = await only({ ingress: [retrieving, onSecret], complete });
  expect(after).toMatchObject({ change: { change: 'newly_blocked', by: [{ node: 'secret' }] } });
});

it('a guard that pauses blocks a request for embeddings', async () => {
  const parts = { ingress: [pausing('a'), blocking('b')], complete };
  open = await OpenGateway.start(parts, KEPT);
  await open.embed('text');
  expect(await only(parts)).toMatchObject({ before: { blocked: { node: 'a' }, paused: [] }, change: null });
});

it('a guard that masks blocks a request for embeddings, if the route says so', async () => {
  const masks: Guard['check'] = () => ({
    ...{ ...ALLOW, verdict: 'sanitize', code: 'masked' },
    edits: [{ segment: 0, start: 0, end: 4, replacement: '***' }],
  });
  const parts = { ingress: [nodeOf('a', { check: masks })], complete };
  open = await OpenGateway.start(parts, KEPT);
  await open.embed('text');
  expect(await only(parts)).toMatchObject({ before: { blocked: { node: 'a' } }, lacks_answer: false, change: null });
});
