import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readContentKey } from '../../host/src/key-storage/key-file.ts';
import { echoConfig, type GatewayConfig, MAIN, type StartOptions, TestGateway } from '../harness/gateway.ts';
import { evidenceOf, ofType, reconfigure, statusOf } from './pausing-gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.dispose());

const SECRET = 'marigold-7431';
const PAUSING = `please make a wire transfer to ${SECRET}`;

async function start(config: GatewayConfig = echoConfig(), more: Partial<StartOptions> = {}): Promise<void> {
  gateway = await TestGateway.start({ here: true, config, ...more });
}

async function run(content: string, more: object = {}): Promise<string> {
  const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content }], ...more });
  return body.run_id;
}

const paused = (more: object = {}) => run(PAUSING, more);
const erase = (run_id: string, principal = 'bob') => gateway.request('DELETE', `/v1/runs/${run_id}/content`, { principal });
const approve = (run_id: string) => gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
const at = (...names: string[]) => join(gateway.folder, ...names);

function svc(args: string[], env: Record<string, string> = {}): Promise<{ status: number; stdout: string; stderr: string }> {
  const options = { cwd: gateway.folder, env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], options, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** Everything that the store has on disk. */
async function bytesOf(folder = 'runs-db'): Promise<Buffer> {
  const files = await readdir(at(folder));
  return Buffer.concat(await Promise.all(files.map((file) => readFile(at(folder, file)))));
}

/** Puts a copy in the place of the runs-db, on purpose. */
async function restore(copy: string): Promise<void> {
  // As an operator does who wants an older copy.
  await rm(at('runs-db.checkpoint'));
  await rm(at('runs-db.checkpoint.operations'));
  await rm(at('runs-db'), { recursive: true });
  await cp(at(copy), at('runs-db'), { recursive: true });
}

it('stored content is not readable in the files of the store, and still works', async () => {
  await start(echoConfig({ server: { record_content: true } }));
  const waits = await paused();
  // Another text: a decision on a request holds for its repetitions.
  const decided = await run(`${PAUSING}, now`);
  expect((await approve(decided)).body.response).toContain(SECRET);
  const background = await run(`hello ${SECRET}`, { background: true });
  await expect.poll(() => statusOf(gateway, background)).toBe('completed');
  await gateway.chat(`recorded ${SECRET}`);
  await gateway.stop();
  expect((await bytesOf()).includes(SECRET)).toBe(false);
  expect((await stat(at('content.key'))).mode & 0o777).toBe(0o600);
  await gateway.launch();
  expect((await gateway.get(`/v1/runs/${waits}/pending`, 'bob')).body.messages[0].content).toBe(PAUSING);
  for (const run_id of [decided, background]) {
    expect((await gateway.get(`/v1/runs/${run_id}/response`)).body.response).toContain(SECRET);
  }
});

it('an erased paused run is denied, with evidence of its author, on an intact chain', async () => {
  await start();
  const run_id = await paused();
  expect(await erase(run_id)).toMatchObject({ status: 200, body: { run_id, status: 'denied', backups_unreadable: true } });
  const [evidence, ...more] = await evidenceOf(gateway, run_id);
  expect(more).toEqual([]);
  expect(evidence).toMatchObject({ status: 'denied', approver: null });
  const events = (await gateway.get(`/v1/runs/${run_id}`)).body.events;
  expect(ofType(events, 'erased')).toMatchObject([{ stage: 'approval', node: 'policy', data: { principal_id: 'bob' } }]);
  expect(ofType(events, 'decision')).toEqual([]);
  expect(await approve(run_id)).toMatchObject({ status: 409, body: { code: 'SVC-RUN-002' } });
  // Again: nothing more happens.
  expect(await erase(run_id)).toMatchObject({ status: 200, body: { status: 'denied' } });
  expect(await evidenceOf(gateway, run_id)).toHaveLength(1);
  await gateway.stop();
  expect((await svc(['ledger', 'verify', 'runs-db', '--json'])).status).toBe(3);
  expect(gateway.output).toContain('"event":"content_erased"');
});

it('an erased run cannot be read in earlier copies of the store either; others can', async () => {
  await start();
  const [gone, kept] = [await paused(), await paused()];
  await gateway.stop();
  await cp(at('runs-db'), at('before'), { recursive: true });
  await gateway.launch();
  const before = await readContentKey(at('content.key'));
  const [ofGone, ofKept] = [before.keyFor(gone), before.keyFor(kept)];
  expect((await erase(gone)).status).toBe(200);
  await gateway.stop();
  // What remains: the old copy, and the key as it is now, in whatever file.
  const now = await readContentKey(at('content.key'));
  expect([now.keyFor(gone), now.keyFor(kept)]).toEqual([null, ofKept]);
  const names = await readdir(at('content.key.parts'), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of [...files, at('content.key')]) {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file)).includes(ofGone ?? '')).toBe(false);
  }
  await restore('before');
  await gateway.launch();
  expect(await statusOf(gateway, gone)).toBe('paused');
  for (const asked of [gateway.get(`/v1/runs/${gone}/pending`, 'bob'), approve(gone)]) {
    expect(await asked).toMatchObject({ status: 410, body: { code: 'SVC-RUN-005' } });
  }
  expect((await approve(kept)).body.response).toContain(SECRET);
  // What nobody can read can still be ended.
  expect(await erase(gone)).toMatchObject({ status: 200, body: { status: 'denied' } });
});

it('an unreadable run ends with evidence, even if all content is recorded', async () => {
  await start(echoConfig({ server: { record_content: true } }));
  const run_id = await paused();
  await gateway.stop();
  await cp(at('runs-db'), at('before'), { recursive: true });
  await gateway.launch();
  expect((await erase(run_id)).status).toBe(200);
  await gateway.stop();
  await restore('before');
  await gateway.launch();
  expect(await erase(run_id)).toMatchObject({ status: 200, body: { status: 'denied' } });
  expect(await evidenceOf(gateway, run_id)).toHaveLength(1);
});

it('a ledger that was moved gets no evidence of an erasure: it would fork', async () => {
  await start();
  const run_id = await paused();
  await gateway.stop();
  expect((await svc(['migrate', 'lmdb-to-lmdb', '--from', 'runs-db', '--to', 'moved'])).status).toBe(0);
  const before = (await svc(['ledger', 'verify', 'runs-db', '--json'])).stdout;
  for (const what of [[run_id], ['--all']]) {
    const refused = await svc(['runs', 'erase', ...what, '--runs-db', 'runs-db']);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('was migrated') });
  }
  expect((await svc(['ledger', 'verify', 'runs-db', '--json'])).stdout).toBe(before);
  expect(await svc(['runs', 'erase', run_id, '--runs-db', 'moved'])).toMatchObject({ status: 0 });
});

it('content of an ended run is deleted, and its evidence stays unchanged', async () => {
  await start(echoConfig({ server: { record_content: true } }));
  const { headers } = await gateway.chat(`recorded ${SECRET}`);
  const run_id = headers.get('x-svc-run-id') ?? '';
  const before = await gateway.ledger();
  expect((await gateway.get(`/v1/runs/${run_id}/response`)).body.response).toContain(SECRET);
  expect(await erase(run_id)).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect((await gateway.get(`/v1/runs/${run_id}/response`)).body).toMatchObject({ response: '', completion: null });
  expect(await gateway.ledger()).toEqual(before);
});

it('the erasure of an ended run is recorded once as its event, survives a restart, and appears in the audit', async () => {
  await start(echoConfig({ server: { record_content: true } }));
  const run_id = await run('hello');
  const before = (await gateway.get(`/v1/runs/${run_id}`)).body.events;
  const erasures = await Promise.all([erase(run_id, 'bob'), erase(run_id, 'bob')]);
  expect(erasures.map(({ status }) => status)).toEqual([200, 200]);
  await erase(run_id, 'carol');
  await gateway.stop();
  await gateway.launch();
  const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
  expect(events.slice(0, -1)).toEqual(before);
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(events.at(-1)).toEqual({ event_type: 'erased', stage: 'approval', node: '', data: { principal_id: 'bob', at } });
  expect((await gateway.get('/v1/audit')).body.runs[0]).toMatchObject({ run_id, events });
});

it('the creator of a run, its approvers and admins may erase it, paused or ended, and no one else', async () => {
  const principals = [
    { principal_id: 'alice', roles: ['call', 'audit'] },
    { principal_id: 'bob', roles: ['approve'] },
    { principal_id: 'eve', roles: ['call'] },
    { principal_id: 'mallory' },
    { principal_id: 'auditor', roles: ['audit', 'rag'] },
    { principal_id: 'elsewhere', roles: ['admin'], routes: ['other'] },
    { principal_id: 'root', roles: ['admin'] },
  ];
  const other = { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } };
  await start(echoConfig({ server: { record_content: true }, routes: { other } }), { principals });
  const make = { paused: () => paused({ approvers: ['bob'] }), completed: () => run('hello', { approvers: ['bob'] }) };
  for (const [status, made] of Object.entries(make)) {
    const run_id = await made();
    for (const stranger of ['eve', 'mallory'])
      expect(await erase(run_id, stranger)).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
    for (const unfit of ['auditor', 'elsewhere'])
      expect(await erase(run_id, unfit)).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    const { body } = await gateway.get(`/v1/runs/${run_id}`);
    expect(body.status).toBe(status);
    expect(ofType(body.events, 'erased')).toEqual([]);
    expect((await erase(run_id, 'bob')).status).toBe(200);
    expect((await erase(await made(), 'alice')).status).toBe(200);
    expect((await erase(await made(), 'root')).status).toBe(200);
  }
  // Without a list, whoever may approve.
  expect(await erase(await run('hello'), 'eve')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-003' } });
  expect((await erase(await run('hello'), 'mallory')).status).toBe(200);
  const nowhere = '01a200bf-2e56-77fb-9eca-0439795ddb8d';
  expect(await erase(nowhere)).toMatchObject({ status: 404, body: { code: 'SVC-RUN-001' } });
});

it('svc runs erase calls a running server, or works on the runs-db of a stopped one, and records the reason', async () => {
  await start();
  const [first, second] = [await paused(), await paused()];
  const SVC_KEY = gateway.key('bob');
  const eraseFor = (run_id: string, where: string[], reason: string) =>
    svc(['runs', 'erase', run_id, ...where, '--reason', reason, '--json'], { SVC_KEY });
  const online = ['--server', gateway.url];
  const offline = ['--runs-db', 'runs-db'];
  expect(await eraseFor(first, online, 'two\nlines')).toMatchObject({ status: 1, stderr: expect.stringContaining('reason') });
  const asked = await eraseFor(first, online, 'asked by mail');
  expect(JSON.parse(asked.stdout)).toEqual({ run_id: first, status: 'denied', backups_unreadable: true });
  // A server has it: said so, and nothing is done.
  expect(await svc(['runs', 'erase', second, ...offline])).toMatchObject({ status: 1 });
  expect(await statusOf(gateway, second)).toBe('paused');
  await gateway.stop();
  for (const reason of ['two\nlines', 'x'.repeat(1001), ''])
    expect((await eraseFor(second, offline, reason)).stderr).toContain('reason');
  const erased = await eraseFor(second, offline, 'asked by phone');
  expect(JSON.parse(erased.stdout)).toEqual({ run_id: second, status: 'denied', backups_unreadable: true });
  expect((await eraseFor('--all', offline, 'sold the machine')).status).toBe(0);
  expect((await svc(['ledger', 'verify', 'runs-db'])).status).toBe(3);
  await gateway.launch();
  const events = (await gateway.get(`/v1/runs/${second}`)).body.events;
  expect(ofType(events, 'erased')).toMatchObject([{ data: { principal_id: 'operator' } }]);
  const { records } = (await gateway.get('/v1/audit/operations')).body;
  const erasures = records.filter(({ action }: { action: string }) => action === 'content.erased');
  expect(erasures).toMatchObject([
    { target: { name: first }, reason: 'asked by mail' },
    { target: { name: second }, reason: 'asked by phone' },
    { target: { name: 'all' }, reason: 'sold the machine' },
  ]);
});

it('another content key is refused, with the remedy, and accepted once all content is erased', async () => {
  await start();
  const run_id = await paused();
  await gateway.stop();
  await rename(at('content.key'), at('elsewhere'));
  await expect(gateway.launch()).rejects.toThrow(/store\.older_content_keys/);
  await rename(at('elsewhere'), at('content.key'));
  await gateway.launch();
  expect((await gateway.get(`/v1/runs/${run_id}/pending`, 'bob')).status).toBe(200);
  await gateway.stop();
  await rm(at('content.key'));
  expect((await svc(['runs', 'erase', '--all', '--runs-db', 'runs-db', '--json'])).stdout).toBe('{"runs":1}\n');
  await gateway.launch();
  expect(await statusOf(gateway, run_id)).toBe('denied');
  await writeFile(at('content.key'), '{}');
  await gateway.stop();
  await expect(gateway.launch()).rejects.toThrow(/does not contain a content key/);
});

it('erasing in the runs-db needs only the secrets of the store', async () => {
  const content_key = randomBytes(32).toString('hex');
  const paid = { type: 'openai', base_url: 'http://127.0.0.1:9', api_key: 'secret://env/MODEL_KEY#value' };
  const store = { content_key: 'secret://env/CONTENT_KEY#value' };
  await start(echoConfig({ providers: { paid }, store }), { env: { MODEL_KEY: 'sk-1', CONTENT_KEY: content_key } });
  const first = await paused();
  const second = await paused();
  await gateway.stop();
  expect(await svc(['runs', 'erase', first, '--runs-db', 'runs-db'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('CONTENT_KEY'),
  });
  const own = { CONTENT_KEY: content_key };
  expect(await svc(['runs', 'erase', first, '--runs-db', 'runs-db', '--json'], own)).toMatchObject({ status: 0, stderr: '' });
  expect(await svc(['runs', 'erase', '--all', '--runs-db', 'runs-db', '--json'], own)).toMatchObject({
    status: 0,
    stdout: '{"runs":1}\n',
  });
  await gateway.launch();
  for (const run_id of [first, second]) expect(await statusOf(gateway, run_id)).toBe('denied');
});

/** Keys of the operator's, by their names in the environment: the newest, then older ones. */
function using(...names: string[]): GatewayConfig {
  const [newest, ...older] = names.map((name) => `secret://env/${name}#value`);
  return echoConfig({ store: { content_key: newest ?? '', older_content_keys: older } });
}

/** All of them, each vouched for. */
async function operations(): Promise<string[]> {
  return (await gateway.get('/v1/audit/operations')).body.records.map(({ action }: { action: string }) => action);
}

it('a runs-db restored without its keys is refused, and no new key file remains', async () => {
  await start(echoConfig());
  await paused();
  await gateway.stop();
  const key = join(gateway.folder, 'content.key');
  const kept = await readFile(key);
  await rm(key);
  for (const _ of [1, 2]) {
    await expect(gateway.launch()).rejects.toThrow(/content\.key\b.*store\.older_content_keys/);
    expect(existsSync(key)).toBe(false);
  }
  await writeFile(key, kept, { mode: 0o600 });
  await gateway.launch();
});

it('a configured key can be replaced: the older one unwraps until nothing needs it', async () => {
  const [first, second] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const env = { FIRST: first, SECOND: second };
  await start(using('FIRST'), { env });
  const [run_id, erased] = [await paused(), await paused()];
  expect(await erase(erased)).toMatchObject({ status: 200, body: { backups_unreadable: false } });
  await gateway.stop();
  await reconfigure(gateway, using('SECOND'));
  await expect(gateway.launch()).rejects.toThrow(/older_content_keys/);
  await reconfigure(gateway, using('SECOND', 'FIRST'));
  await gateway.launch();
  await gateway.until((output) => /"event":"content_rewrapped","runs":1,"left":0/.exec(output)?.[0]);
  await gateway.stop();
  await reconfigure(gateway, using('SECOND'));
  await gateway.launch();
  expect((await approve(run_id)).body.response).toContain(SECRET);
  expect(await operations()).toEqual(['gateway.started', 'content.erased', 'gateway.started', 'gateway.started']);
  expect(JSON.stringify(await gateway.ledger())).not.toContain(createHash('sha256').update(first).digest('hex'));
});

it("the gateway's own key, in parts since it forgot a run, is exchanged for a configured one", async () => {
  const env = { NEXT: randomBytes(32).toString('hex') };
  await start(echoConfig(), { env });
  const [run_id, erased] = [await paused(), await paused()];
  expect((await erase(erased)).status).toBe(200);
  await gateway.stop();
  const exchanged = echoConfig({
    store: { content_key: 'secret://env/NEXT#value', older_content_keys: ['secret://file/content.key#key'] },
  });
  await reconfigure(gateway, exchanged);
  await rename(at('content.key.parts'), at('elsewhere'));
  await expect(gateway.launch()).rejects.toThrow(/content\.key\.parts/);
  await rename(at('elsewhere'), at('content.key.parts'));
  await gateway.launch();
  await gateway.until((output) => /"event":"content_rewrapped","runs":1,"left":0/.exec(output)?.[0]);
  expect((await approve(run_id)).body.response).toContain(SECRET);
});

it('erasing everything during an exchange leaves nothing that needs the previous key', async () => {
  const env = { FIRST: randomBytes(32).toString('hex'), SECOND: randomBytes(32).toString('hex') };
  await start(using('FIRST'), { env });
  const run_id = await paused();
  await gateway.stop();
  await reconfigure(gateway, using('SECOND', 'FIRST'));
  const erased = await svc(['runs', 'erase', '--all', '--runs-db', 'runs-db', '--json'], env);
  expect(erased).toMatchObject({ status: 0, stdout: '{"runs":1}\n' });
  await reconfigure(gateway, using('SECOND'));
  await gateway.launch();
  expect(await statusOf(gateway, run_id)).toBe('denied');
  expect(await operations()).toEqual(['gateway.started', 'content.erased', 'gateway.started']);
});

it('a client that gives a type to every request erases with an empty body', async () => {
  await start();
  const path = `/v1/runs/${await paused()}/content`;
  const headers = { 'content-type': 'application/json' };
  expect((await gateway.request('DELETE', path, { body: '', headers, principal: 'bob' })).status).toBe(200);
  expect(await gateway.request('DELETE', path, { body: '{', headers, principal: 'bob' })).toMatchObject({
    status: 400,
    body: { code: 'SVC-REQ-001' },
  });
});
