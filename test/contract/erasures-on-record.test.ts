import { randomUUID } from 'node:crypto';
import type { Operation } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { DOCUMENTS, ragConfig } from './rag-gateway.ts';

const CALLERS = Array.from({ length: 10 }, (_, index) => `caller-${index}`);
const RUNS_EACH = 30;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: ragConfig(),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'ada', roles: ['admin', 'audit'] },
      ...CALLERS.map((principal_id) => ({ principal_id, roles: ['call'] })),
    ],
  });
});
afterAll(() => gateway.dispose());

const run = async (principal = 'alice'): Promise<string> =>
  (await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hello' }] }, principal)).body.run_id;
const eraseRun = (run_id: string, principal = 'alice', query = '') =>
  gateway.request('DELETE', `/v1/runs/${run_id}/content${query}`, { principal });
const eraseNamespace = (namespace: string, query = '') =>
  gateway.request('DELETE', `/v1/rag/namespaces/${namespace}${query}`, { principal: 'alice' });
const remove = (namespace: string, ids: string[], more = {}) =>
  gateway.post('/v1/rag/delete', { namespace, ids, ...more }, 'alice');
const index = (namespace: string) => gateway.post('/v1/rag/index', { namespace, documents: DOCUMENTS }, 'alice');
const idsIn = async (namespace: string): Promise<string[]> =>
  (await gateway.post('/v1/rag/query', { namespace, query: 'kitchen' }, 'alice')).body.docs.map(({ id }: { id: string }) => id);
const operations = async (): Promise<Operation[]> => (await gateway.get('/v1/audit/operations', 'ada')).body.records;
const recordsOf = async (name: string) => (await operations()).filter(({ target }) => target.name === name);

describe('of many concurrent requests', () => {
  it.each([20, 200])('%i erasures of one run leave one record', async (times) => {
    const run_id = await run();
    const answers = await Promise.all(Array.from({ length: times }, () => eraseRun(run_id)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(20);
    // So many at once of a principal are served, and the rest of them told to come again.
    for (const { status, body, headers } of refused)
      expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'SVC-LIMIT-003', '1']);
    expect(await recordsOf(run_id)).toMatchObject([{ action: 'content.erased', actor: { principal_id: 'alice' } }]);
    expect((await eraseRun(run_id)).status).toBe(200);
    expect(await recordsOf(run_id)).toHaveLength(1);
  });

  it('erasures of one namespace leave one record, and one of them deletes', async () => {
    await index('crowded');
    const answers = await Promise.all(Array.from({ length: 20 }, () => eraseNamespace('crowded')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ body }) => body.deleted).toSorted()).toEqual([...Array(19).fill(0), 3]);
    expect(await recordsOf('crowded')).toMatchObject([{ action: 'documents.erased' }]);
  });

  it('deletions of the same documents leave one record', async () => {
    await index('shared');
    const ids = await idsIn('shared');
    const answers = await Promise.all(Array.from({ length: 20 }, () => remove('shared', ids)));
    expect(answers.reduce((sum: number, { body }: Answer) => sum + body.deleted, 0)).toBe(3);
    expect(await recordsOf('shared')).toMatchObject([{ action: 'documents.deleted', change: { deleted: 3 } }]);
  });

  it('a revocation comes before erasures that were requested earlier', async () => {
    const asked = CALLERS.flatMap((principal) => Array.from({ length: RUNS_EACH }, () => principal));
    const runs = await Promise.all(asked.map(async (principal) => ({ principal, run_id: await run(principal) })));
    const { key, id } = (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'] }, 'ada')).body;
    const erasures = runs.map(({ run_id, principal }) => eraseRun(run_id, principal));
    await Promise.race(erasures);
    expect((await gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'ada' })).status).toBe(200);
    const headers = { authorization: `Bearer ${key}` };
    expect((await gateway.request('GET', '/v1/models', { principal: null, headers })).status).toBe(401);
    for (const { status } of await Promise.all(erasures)) expect(status).toBe(200);
    const records = await operations();
    const revoked = records.findIndex(({ action }) => action === 'key.revoked');
    const later = records.slice(revoked).filter(({ action }) => action === 'content.erased');
    expect(later.length).toBeGreaterThan(erasures.length / 2);
    expect(records.filter(({ actor }) => actor.principal_id?.startsWith('caller-'))).toHaveLength(erasures.length);
  });
});

describe('with its reason', () => {
  it('an erasure of a run', async () => {
    const run_id = await run();
    expect((await eraseRun(run_id, 'alice', `?${new URLSearchParams({ reason: 'asked by mail, 3 May' })}`)).status).toBe(200);
    expect(await recordsOf(run_id)).toMatchObject([{ action: 'content.erased', reason: 'asked by mail, 3 May' }]);
  });

  it('an erasure of a namespace', async () => {
    await index('with-reason');
    expect((await eraseNamespace('with-reason', '?reason=contract%20ended')).status).toBe(200);
    expect(await recordsOf('with-reason')).toMatchObject([{ action: 'documents.erased', reason: 'contract ended' }]);
  });

  it('a deletion of documents, with their number and without their ids, unless it deleted nothing', async () => {
    await index('handbook');
    const ids = await idsIn('handbook');
    expect((await remove('handbook', [...ids.slice(1), 'unknown'], { reason: 'out of date' })).body.deleted).toBe(2);
    expect((await remove('handbook', ids.slice(1), { reason: 'out of date' })).body.deleted).toBe(0);
    expect((await remove('handbook', ids)).body.deleted).toBe(1);
    const records = await recordsOf('handbook');
    expect(records).toMatchObject([
      {
        action: 'documents.deleted',
        actor: { principal_id: 'alice', issuer: null, subject: null },
        target: { kind: 'namespace', name: 'handbook' },
        before: null,
        after: null,
        reason: 'out of date',
        change: { deleted: 2 },
      },
      { action: 'documents.deleted', reason: null, change: { deleted: 1 } },
    ]);
    for (const id of ids) expect(JSON.stringify(records)).not.toContain(id);
  });

  it.each(['', 'two\nlines', ' ', `svc-${'0'.repeat(64)}`, 'x'.repeat(1001)])(
    'but %j is refused, and nothing is erased',
    async (reason) => {
      const [run_id, namespace] = [await run(), `n-${randomUUID()}`];
      await index(namespace);
      const query = `?${new URLSearchParams({ reason })}`;
      const answers = [
        await eraseRun(run_id, 'alice', query),
        await eraseNamespace(namespace, query),
        await remove(namespace, await idsIn(namespace), { reason }),
      ];
      for (const { status, body } of answers) expect([status, body.code]).toEqual([400, 'SVC-REQ-001']);
      expect(await idsIn(namespace)).toHaveLength(3);
      expect([...(await recordsOf(run_id)), ...(await recordsOf(namespace))]).toEqual([]);
    },
  );
});
