import { responseText } from '@svc/runtime/content';
import { afterEach, expect, it } from 'vitest';
import { completionOf, nodeOf, OpenGateway, PAUSE } from '../harness/open-gateway.ts';

let opened: OpenGateway;
afterEach(() => opened.dispose());

const actorOf = (principal_id: string) => ({ principal_id, issuer: null, subject: null });
const EVE = { principal_id: 'eve', scope: 'decidable', actor: actorOf('eve'), reason: null } as const;
const pausing = { ingress: [nodeOf('waits', { check: () => PAUSE })] };

async function answerOf(run_id: string): Promise<string | null> {
  const found = await opened.runs.stored.response(run_id, 'alice');
  return found.completion === null ? null : responseText(found);
}

it('a waiting background run is denied by its erasure, and never starts', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const complete = async () => {
    calls += 1;
    await held;
    return { completion: completionOf('answer'), unsupported: [] };
  };
  opened = await OpenGateway.start({ complete });
  // So many are worked on at once.
  for (let n = 0; n < 32; n += 1) await opened.startInBackground('hello');
  const { row } = await opened.startInBackground('hello');
  await expect.poll(() => calls).toBe(32);
  const stranger = opened.runs.erase(row.run_id, {
    principal_id: 'mallory',
    scope: 'own',
    actor: actorOf('mallory'),
    reason: null,
  });
  await expect(stranger).rejects.toMatchObject({ code: 'SVC-AUTH-003' });
  const assertStill = (): void => {
    throw new Error('revoked');
  };
  await expect(opened.runs.erase(row.run_id, { ...EVE, assertStill })).rejects.toThrow('revoked');
  expect(await opened.runs.erase(row.run_id, EVE)).toMatchObject({ status: 'denied', backups_unreadable: false });
  const { events } = await opened.runs.stored.read(row.run_id);
  expect(events.at(-3)).toMatchObject({ event_type: 'erased', stage: 'ingress', data: { principal_id: 'eve' } });
  release();
  await expect.poll(async () => (await opened.gateway.audit.store.countRuns()).completed).toBe(32);
  expect((await opened.gateway.audit.store.countRuns()).denied).toBe(1);
  expect(calls).toBe(32);
});

it('a run in progress is not erased', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const complete = async () => {
    await held;
    return { completion: completionOf('answer'), unsupported: [] };
  };
  opened = await OpenGateway.start({ complete });
  const { row } = await opened.startInBackground('hello');
  await expect.poll(async () => (await opened.runs.stored.read(row.run_id)).row.status).toBe('running');
  await expect(opened.runs.erase(row.run_id, EVE)).rejects.toMatchObject({ code: 'SVC-RUN-004' });
  release();
});

it('content recorded without an expiry is deleted by a later retention, of ended and paused runs', async () => {
  opened = await OpenGateway.start({}, { record_content: true });
  const old = (await opened.start('hello')).row.run_id;
  await opened.close();
  opened.clock.advance(5_000);
  const kept = { record_content: true, retention_ms: 10_000 };
  await opened.open(pausing, kept);
  const { run_id } = (await opened.start('hello')).row;
  opened.clock.advance(4_999);
  await opened.runs.expire(opened.clock.now());
  expect(await answerOf(old)).toBe('answer');
  opened.clock.advance(2);
  await opened.runs.expire(opened.clock.now());
  expect(await answerOf(old)).toBeNull();
  expect((await opened.runs.stored.read(run_id)).row.status).toBe('paused');
  opened.clock.advance(5_000);
  await opened.runs.expire(opened.clock.now());
  expect((await opened.runs.stored.read(run_id)).row.status).toBe('denied');
});

it('content stored under a retention cannot be read afterwards, whether or not it was deleted', async () => {
  opened = await OpenGateway.start({}, { record_content: true, retention_ms: 10_000 });
  const { run_id } = (await opened.start('hello')).row;
  expect(await answerOf(run_id)).toBe('answer');
  opened.clock.advance(10_000);
  expect(await answerOf(run_id)).toBeNull();
});
