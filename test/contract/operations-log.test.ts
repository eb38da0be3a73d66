import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { openNote, parseCheckpoint, parseVerifierKey, provesConsistency, verifyProof } from '@svc/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

const LOG = '/v1/audit/operations';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig(),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'carol', roles: ['call'] },
      { principal_id: 'dan', roles: ['audit'], routes: ['default'] },
      { principal_id: 'eve', roles: ['audit'] },
      { principal_id: 'frank', roles: ['admin'] },
      { principal_id: 'grace', roles: ['admin', 'audit'], routes: ['default'] },
      { principal_id: 'heidi', roles: ['admin', 'audit'], rag: { namespaces: ['handbook'] } },
    ],
  });
});
afterAll(() => gateway.dispose());

interface Recorded extends JsonObject {
  change: { plugins: { package: string; version: string }[] };
}

async function operations(query = '', principal = 'eve'): Promise<Recorded[]> {
  return (await gateway.get(LOG + query, principal)).body.records;
}

async function verifiers() {
  const { body } = await gateway.get('/v1/audit/ledger/keys');
  return body.verifier_keys.map(parseVerifierKey);
}

async function run(content: string): Promise<string> {
  return (await gateway.post('/v1/runs', { messages: [{ role: 'user', content }] })).body.run_id;
}

const erase = (run_id: string, principal: string) => gateway.request('DELETE', `/v1/runs/${run_id}/content`, { principal });

/** As an operator at the store itself. */
function eraseAtStore(...args: string[]): Promise<number> {
  const all = [MAIN, 'runs', 'erase', ...args, '--runs-db', 'runs-db'];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { cwd: gateway.folder }, () => resolve(child.exitCode ?? -1));
  });
}

describe('the recorded operations', () => {
  it('a start, with the release, the configuration and the packages of its plugins', async () => {
    const { config_digest } = (await gateway.get('/v1/health')).body;
    const [started] = await operations();
    expect(started).toMatchObject({
      record_type: 'operation',
      seq: 1,
      prev_hash: 'genesis',
      action: 'gateway.started',
      actor: { principal_id: null, issuer: null, subject: null },
      target: { kind: 'gateway', name: 'svc' },
      before: null,
      after: config_digest,
      change: { config_digest },
    });
    const packages = started?.change.plugins.map((plugin) => plugin.package);
    expect(packages).toEqual(expect.arrayContaining(['@svc/provider-echo', '@svc/store-lmdb']));
    expect(packages).toEqual([...new Set(packages)].sort());
  });

  it('each erasure over HTTP with its author, unless it was refused', async () => {
    const run_id = await run('hello');
    const before = (await operations()).length;
    expect((await erase(run_id, 'carol')).status).toBe(403);
    expect(await operations()).toHaveLength(before);
    expect((await erase(run_id, 'frank')).status).toBe(200);
    expect((await operations()).slice(before)).toMatchObject([
      {
        action: 'content.erased',
        actor: { principal_id: 'frank', issuer: null, subject: null },
        target: { kind: 'run', name: run_id },
        before: null,
        after: null,
      },
    ]);
  });

  it('no repeated erasure of an ended run, or of a run that an erasure ended', async () => {
    const first = (await operations()).length;
    const erased = [await run('hello'), await run('please make a wire transfer')];
    for (const run_id of erased) expect((await erase(run_id, 'alice')).status).toBe(200);
    const before = await operations();
    expect(before).toHaveLength(first + 2);
    for (const run_id of [...erased, ...erased]) expect((await erase(run_id, 'alice')).status).toBe(200);
    expect(await operations()).toEqual(before);
  });

  it('erasures at the store without an author, and the next start with the previous configuration', async () => {
    const run_id = await run('hello');
    const before = (await operations()).length;
    await gateway.stop();
    expect(await eraseAtStore(run_id)).toBe(0);
    expect(await eraseAtStore('--all')).toBe(0);
    await gateway.launch();
    const [one, all, started] = (await operations()).slice(before);
    const nobody = { principal_id: null, issuer: null, subject: null };
    expect(one).toMatchObject({ action: 'content.erased', actor: nobody, target: { kind: 'run', name: run_id } });
    expect(all).toMatchObject({ action: 'content.erased', actor: nobody, target: { kind: 'runs', name: 'all' } });
    const { config_digest } = (await gateway.get('/v1/health')).body;
    expect(started).toMatchObject({ action: 'gateway.started', before: config_digest, after: config_digest });
  });
});

describe(`GET ${LOG}`, () => {
  it('is for auditors and administrators of all routes and namespaces', async () => {
    for (const path of ['', '/checkpoint', '/proof?seq=1']) {
      expect([path, (await gateway.get(LOG + path, 'eve')).status]).toEqual([path, 200]);
      expect([path, (await gateway.get(LOG + path, 'frank')).status]).toEqual([path, 200]);
      expect([path, (await gateway.get(LOG + path, 'carol')).body.code]).toEqual([path, 'SVC-AUTH-002']);
      for (const limited of ['dan', 'grace', 'heidi'])
        expect([path, limited, (await gateway.get(LOG + path, limited)).body.code]).toEqual([path, limited, 'SVC-AUTH-002']);
      expect([path, (await gateway.get(LOG + path, null)).status]).toEqual([path, 401]);
    }
  });

  it('is read page by page, to the end', async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThan(2);
    const read: JsonObject[] = [];
    for (let next: string | undefined = `${LOG}?limit=1`; next !== undefined; ) {
      const { body, headers } = await gateway.get(next);
      read.push(...body.records);
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(read).toEqual(all);
    expect(await operations('?since_seq=1')).toEqual(all.slice(1));
    expect(await operations(`?since_seq=${all.length}`)).toEqual([]);
  });

  it.each(['?since_seq=x', '?limit=0', '?cursor=x'])('refuses %s', async (query) => {
    expect((await gateway.get(LOG + query)).body.code).toBe('SVC-REQ-001');
  });
});

describe('its proofs', () => {
  it('a checkpoint signed with the keys of the ledger, under its own origin; a proof of each record, and that the log only grew', async () => {
    const keys = await verifiers();
    const { origin } = (await gateway.get('/v1/audit/ledger/keys')).body;
    const note = async () => {
      const opened = openNote((await gateway.get(`${LOG}/checkpoint`)).text, keys);
      expect(opened.signedBy).toHaveLength(1);
      return parseCheckpoint(opened.text);
    };
    const first = await note();
    const records = await operations();
    expect(first).toMatchObject({ origin: `${origin}/operations`, size: records.length });
    for (const { seq, hash } of records) {
      const { place } = verifyProof((await gateway.get(`${LOG}/proof?seq=${seq}`)).text, keys);
      expect(place).toMatchObject({ seq, hash });
    }
    await erase(await run('hello'), 'alice');
    const second = await note();
    expect(second.size).toBe(first.size + 1);
    const { body } = await gateway.get(`${LOG}/proof?from=${first.size}`);
    const path = body.path.map((hash: string) => Buffer.from(hash, 'base64'));
    expect(provesConsistency(first, second, path)).toBe(true);
  });

  it.each(['', '?seq=0', '?seq=100000', '?seq=1&from=0', '?from=3&to=2'])('refuses %j', async (query) => {
    const { status, body } = await gateway.get(`${LOG}/proof${query}`);
    expect([status, body.code]).toEqual([400, 'SVC-REQ-001']);
  });

  it("the newest checkpoint is pinned beside the ledger's", async () => {
    const { text } = await gateway.get(`${LOG}/checkpoint`);
    expect(await readFile(join(gateway.folder, 'runs-db.checkpoint.operations'), 'utf8')).toBe(text);
  });
});
