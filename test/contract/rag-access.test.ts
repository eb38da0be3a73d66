import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { DOCUMENTS, ragConfig } from './rag-gateway.ts';

const REFUSED = { status: 403, body: { code: 'SVC-AUTH-002' } };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: ragConfig({ namespaces: { handbook: { routes: ['asked', 'watched'] } } }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'acme', roles: ['rag', 'call'], rag: { namespaces: ['acme-*', 'shared'] } },
      { principal_id: 'nobody', roles: ['rag', 'call'], rag: { namespaces: [] } },
    ],
  });
});
afterAll(() => gateway.dispose());

const index = (namespace: string, principal: string): Promise<Answer> =>
  gateway.post('/v1/rag/index', { namespace, documents: DOCUMENTS }, principal);
const query = (namespace: string, principal: string): Promise<Answer> =>
  gateway.post('/v1/rag/query', { namespace, query: 'kitchen' }, principal);
const remove = (namespace: string, ids: string[], principal: string): Promise<Answer> =>
  gateway.post('/v1/rag/delete', { namespace, ids }, principal);
const erase = (namespace: string, principal: string): Promise<Answer> =>
  gateway.request('DELETE', `/v1/rag/namespaces/${namespace}`, { principal });

describe('namespaces of a key', () => {
  it.each(['shared', 'acme-', 'acme-hr'])('%s is one of them', async (namespace) => {
    expect((await index(namespace, 'acme')).status).toBe(200);
    const { docs } = (await query(namespace, 'acme')).body;
    expect(docs).toHaveLength(3);
    expect((await remove(namespace, [docs[0].id], 'acme')).body.deleted).toBe(1);
    expect((await erase(namespace, 'acme')).body).toEqual({ namespace, deleted: 2, backups_unreadable: true });
  });

  it.each(['shared2', 'share', 'acme', 'ACME-hr', 'other'])('%s is none of them', async (namespace) => {
    await index(namespace, 'alice');
    const [first] = (await query(namespace, 'alice')).body.docs;
    for (const principal of ['acme', 'nobody']) {
      expect(await index(namespace, principal)).toMatchObject(REFUSED);
      expect(await query(namespace, principal)).toMatchObject(REFUSED);
      expect(await remove(namespace, [first.id], principal)).toMatchObject(REFUSED);
      expect(await erase(namespace, principal)).toMatchObject(REFUSED);
    }
    expect((await query(namespace, 'alice')).body.docs).toHaveLength(3);
  });

  it('a refused request is neither embedded nor told how far it would have come', async () => {
    const before = await gateway.get('/metrics', null);
    const documents = [{ text: 'nul \u0000', metadata: {} }];
    expect(await gateway.post('/v1/rag/index', { namespace: 'other', documents }, 'acme')).toMatchObject(REFUSED);
    const counts = ({ text }: Answer): string[] => text.match(/^svc_rag_duration_seconds_count.*$/gm) ?? [];
    expect(counts(await gateway.get('/metrics', null))).toEqual(counts(before));
  });

  it("who may use a route gets what the route's guards retrieve", async () => {
    await index('handbook', 'alice');
    expect(await query('handbook', 'acme')).toMatchObject(REFUSED);
    const { status, headers } = await gateway.chat('Where is the kitchen?', { model: 'asked', principal: 'acme' });
    expect(status).toBe(200);
    const { events } = (await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`)).body;
    expect(events.find(({ node }: { node: string }) => node === 'docs').data).toMatchObject({ code: 'documents-added' });
  });
});
