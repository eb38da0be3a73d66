import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, MAIN, TestGateway } from '../harness/gateway.ts';
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
      { principal_id: 'ada', roles: ['admin', 'audit'] },
      { principal_id: 'eve', roles: ['admin', 'rag'], rag: { namespaces: ['acme-*'] } },
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
  it.each(['shared', 'acme-', 'acme-hr'])('include %s', async (namespace) => {
    expect((await index(namespace, 'acme')).status).toBe(200);
    const { docs } = (await query(namespace, 'acme')).body;
    expect(docs).toHaveLength(3);
    expect((await remove(namespace, [docs[0].id], 'acme')).body.deleted).toBe(1);
    expect((await erase(namespace, 'acme')).body).toEqual({ namespace, deleted: 2, backups_unreadable: true });
  });

  it.each(['shared2', 'share', 'acme', 'ACME-hr', 'other'])('do not include %s', async (namespace) => {
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

  it('a refused request is not embedded, and its caller learns nothing about later checks', async () => {
    const before = await gateway.get('/metrics', null);
    const documents = [{ text: 'nul \u0000', metadata: {} }];
    expect(await gateway.post('/v1/rag/index', { namespace: 'other', documents }, 'acme')).toMatchObject(REFUSED);
    const counts = ({ text }: Answer): string[] => text.match(/^svc_rag_duration_seconds_count.*$/gm) ?? [];
    expect(counts(await gateway.get('/metrics', null))).toEqual(counts(before));
  });

  it('everyone who may use a route gets what its guards retrieve', async () => {
    await index('handbook', 'alice');
    expect(await query('handbook', 'acme')).toMatchObject(REFUSED);
    const { status, headers } = await gateway.chat('Where is the kitchen?', { model: 'asked', principal: 'acme' });
    expect(status).toBe(200);
    const { events } = (await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}`)).body;
    expect(events.find(({ node }: { node: string }) => node === 'docs').data).toMatchObject({ code: 'documents-added' });
  });
});

describe('namespaces of a key that is created at run time', () => {
  const FOR = { principal_id: 'app', roles: ['rag'] };
  const create = (namespaces: string[] | null, principal = 'ada', principal_id = FOR.principal_id) =>
    gateway.post('/v1/keys', { ...FOR, principal_id, ...(namespaces && { rag: { namespaces } }) }, principal);
  const queryWith = (key: string, namespace: string): Promise<Answer> =>
    gateway.request('POST', '/v1/rag/query', {
      principal: null,
      headers: { authorization: `Bearer ${key}` },
      body: { namespace, query: 'kitchen' },
    });

  it('apply to it, and to the key that replaces it', async () => {
    const { key, id, rag } = (await create(['acme-*', 'shared'])).body;
    expect(rag).toEqual({ namespaces: ['acme-*', 'shared'] });
    const rotated = (await gateway.post(`/v1/keys/${id}/rotate`, {}, 'ada')).body;
    expect(rotated.rag).toEqual(rag);
    for (const each of [key, rotated.key]) {
      expect((await queryWith(each, 'acme-hr')).status).toBe(200);
      expect(await queryWith(each, 'other')).toMatchObject(REFUSED);
    }
    expect(await queryWith((await create([])).body.key, 'shared')).toMatchObject(REFUSED);
    expect((await queryWith((await create(null)).body.key, 'other')).status).toBe(200);
  });

  it('are within those of the admin that creates, rotates or revokes it', async () => {
    for (const namespaces of [['acme-hr'], ['acme-*'], ['acme-h*'], []])
      expect((await create(namespaces, 'eve', 'new')).status).toBe(201);
    for (const namespaces of [null, ['shared'], ['acme-hr', 'shared'], ['acme*']])
      expect(await create(namespaces, 'eve', 'new')).toMatchObject(REFUSED);
    // Another admin would not be limited.
    expect(await gateway.post('/v1/keys', { ...FOR, roles: ['admin'] }, 'eve')).toMatchObject(REFUSED);
    const { id } = (await create(['shared'])).body;
    expect(await gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'eve' })).toMatchObject(REFUSED);
    expect(await gateway.post(`/v1/keys/${id}/rotate`, {}, 'eve')).toMatchObject(REFUSED);
    const listed = (await gateway.get('/v1/keys', 'eve')).body.keys;
    expect(listed.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  it('are given by svc keys create --namespace', async () => {
    const args = [MAIN, 'keys', 'create', 'cli', '--role', 'rag', '--namespace', 'acme-*', '--namespace', 'shared'];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, '--server', gateway.url], {
      env: { ...process.env, SVC_KEY: gateway.key('ada') },
    });
    const [line = '', key = ''] = stdout.split('\n');
    expect(line).toContain('namespaces acme-*,shared');
    expect([(await queryWith(key, 'shared')).status, (await queryWith(key, 'other')).status]).toEqual([200, 403]);
  });
});

it('an erasure of a namespace is recorded with its author, unless it was refused or found nothing', async () => {
  const erasures = async () =>
    (await gateway.get('/v1/audit/operations', 'ada')).body.records.filter(
      ({ action }: { action: string }) => action === 'documents.erased',
    );
  await index('acme-hr', 'acme');
  const before = (await erasures()).length;
  expect(await erase('other', 'acme')).toMatchObject(REFUSED);
  expect((await erase('acme-hr', 'acme')).status).toBe(200);
  expect((await erasures()).slice(before)).toMatchObject([
    {
      actor: { principal_id: 'acme', issuer: null, subject: null },
      target: { kind: 'namespace', name: 'acme-hr' },
      before: null,
      after: null,
    },
  ]);
  for (const namespace of ['acme-hr', 'acme-hr', 'acme-never'])
    expect((await erase(namespace, 'acme')).body).toEqual({ namespace, deleted: 0, backups_unreadable: false });
  expect(await erasures()).toHaveLength(before + 1);
});
