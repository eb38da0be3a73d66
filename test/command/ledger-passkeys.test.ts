import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pausedRun, statusOf } from '../contract/pausing-gateway.ts';
import { fencesOf, ROOT } from '../docs/fences.ts';
import { APPROVED, Approver, DENIED } from '../harness/approver.ts';
import { Authenticator } from '../harness/authenticator.ts';
import { chain } from '../harness/evidence.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { svcHere } from '../harness/svc-here.ts';
import { until } from '../harness/until.ts';

const ORIGIN = 'https://gateway.example.com';
const [SELF_ATTESTED, BROKEN] = [3, 4];

let issuer: IssuerProcess;
let gateway: TestGateway;
let folder: string;
let records: JsonObject[];
let signed: JsonObject;
/** A run that a delegate decided, and its copy. */
let together: JsonObject[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-passkeys-'));
  issuer = await IssuerProcess.start({ groups: { anna: ['people'], ben: ['people'] } });
  const entry = {
    issuer: issuer.url,
    audience: IssuerProcess.AUDIENCE,
    roles: { claim: 'groups', map: { people: ['approve'] } },
    client_id: issuer.client.client_id,
    client_secret: 'secret://env/CLIENT_SECRET#value',
  };
  const pipeline = { ingress: ['policy'], egress: [] };
  const route = { provider: 'local', model: 'echo-1', pipeline, approval_passkey: 'required' };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      auth: { oidc: [entry], passkeys: { origin: ORIGIN } },
      routes: { signed: { ...route, approvals: 2 }, named: { ...route, approvers: ['anna'] } },
    }),
    principals: [{ principal_id: 'alice', roles: ['call', 'approve', 'audit', 'admin'] }],
    env: { CLIENT_SECRET: issuer.client.client_secret },
  });
  const enter = (login: string, algorithm: 'ES256' | 'RS256') =>
    Approver.enter(gateway, issuer, login, new Authenticator(ORIGIN, algorithm));
  const [anna, ben] = [await enter('anna', 'ES256'), await enter('ben', 'RS256')];
  for (const each of [anna, ben]) await each.register();
  const run_id = await pausedRun(gateway, 'wire transfer', { route: 'signed' });
  await anna.decide(run_id, { ...APPROVED, reason: 'the invoice is right' });
  expect((await ben.decide(run_id)).body.status).toBe('completed');
  await anna.decide(await pausedRun(gateway, 'other wire transfer', { route: 'signed' }), DENIED);
  await anna.post('/v1/approvals/delegations', { to: 'ben', for: '1h', reason: 'on leave' });
  const copy = () => pausedRun(gateway, 'a third wire transfer', { route: 'named' });
  const [one, two] = [await copy(), await copy()];
  expect((await ben.decide(one)).body.status).toBe('completed');
  await until(async () => (await statusOf(gateway, two)) === 'completed');
  // What was signed before stays valid.
  await anna.person.act(`/v1/passkeys/${anna.passkey.id.toString('base64url')}`, { method: 'DELETE' });
  records = await gateway.ledger();
  signed = records.find((record) => record.run_id === run_id) ?? {};
  together = [one, two].flatMap((id) => records.filter((record) => record.run_id === id));
});
afterAll(async () => {
  await gateway?.dispose();
  await issuer?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function node(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, stdout, stderr };
}

/** In the test process, except for a folder, which is read in a child process. */
async function verify(source: string) {
  const [args, env] = [['ledger', 'verify', source, '--json'], { SVC_KEY: gateway.key('alice') }];
  if (source === 'runs-db') {
    const { code, stdout } = await node([MAIN, ...args], env);
    return { code, ...JSON.parse(stdout) };
  }
  const { status: code, stdout } = await svcHere(args, { cwd: folder, env });
  return { code, ...JSON.parse(stdout) };
}

/** A file of records, in a chain of their own. */
function exported(name: string, bodies: readonly JsonObject[]): string {
  const lines = chain(bodies.map(({ seq: _, hash: __, prev_hash: ___, ...body }) => body)).map(({ bytes }) => `${bytes}\n`);
  writeFileSync(join(folder, name), lines.join(''));
  return name;
}

/** A record whose first decision is changed. */
function forged(record: JsonObject | undefined, change: (data: JsonObject) => void): JsonObject {
  const copy = structuredClone(record ?? {});
  const made = (copy.events as { event_type: string; data: JsonObject }[]).find(({ event_type }) => event_type === 'decision');
  change(made?.data ?? {});
  return copy;
}

/** The records with the signature of the first decision changed. */
function changed(change: (signed: JsonObject) => void): JsonObject[] {
  const copy = structuredClone(records);
  const events = copy.find(({ run_id }) => run_id === signed.run_id)?.events as { data: JsonObject }[];
  for (const { data } of events.filter(({ data }) => data.signed !== undefined).slice(0, 1)) change(data.signed as JsonObject);
  return copy;
}

/** What an operator could write into the record of a copy. */
const FORGERIES: readonly ((data: JsonObject) => void)[] = [
  (data) => Object.assign(data, { digest: `sha256:${'e'.repeat(64)}` }),
  (data) => Object.assign(data.on_behalf_of as JsonObject, { principal_id: 'alice' }),
  (data) => Object.assign(data.on_behalf_of as JsonObject, { subject: 'alice' }),
  (data) => delete data.on_behalf_of,
  (data) => delete data.together,
];

describe('svc ledger verify', () => {
  it('checks every signature, and whose passkeys they are, of a running server and of a folder', async () => {
    const valid = {
      code: SELF_ATTESTED,
      passkey_signatures: 5,
      proven: expect.arrayContaining(['passkey_signatures', 'passkeys_registered']),
    };
    expect(await verify(gateway.url)).toMatchObject(valid);
    await gateway.stop();
    cpSync(join(gateway.folder, 'runs-db'), join(folder, 'runs-db'), { recursive: true });
    expect(await verify('runs-db')).toMatchObject(valid);
  });

  it('does not know whose passkeys they are from the ledger alone', async () => {
    const { proven, ...rest } = await verify(exported('records.jsonl', records));
    expect(rest).toMatchObject({ code: SELF_ATTESTED, passkey_signatures: 5 });
    expect(proven).not.toContain('passkeys_registered');
  });

  it('refuses one changed byte, although the chain is valid', async () => {
    const flip = (name: string) => (signed: JsonObject) => {
      const bytes = Buffer.from(String(signed[name]), 'base64url');
      const at = bytes.length - 3;
      bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
      signed[name] = bytes.toString('base64url');
    };
    const state = (name: string, value: string) => (signed: JsonObject) =>
      Object.assign(signed.statement as JsonObject, { [name]: value });
    const changes: readonly ((signed: JsonObject) => void)[] = [
      ...['authenticator_data', 'client_data', 'public_key', 'signature'].map(flip),
      ...['digest', 'ledger', 'nonce', 'time', 'run_id'].map((name) => state(name, 'x')),
    ];
    const seq = signed.seq;
    for (const [n, change] of changes.entries())
      expect(await verify(exported(`changed-${n}.jsonl`, changed(change)))).toMatchObject({
        code: BROKEN,
        fault: { seq, through: seq, why: 'wrong_signature' },
      });
  });

  it('refuses a signed decision in the record of another run, or in the place of another person', async () => {
    expect(together.map(({ run_id }) => run_id)).toHaveLength(2);
    const others = [...FORGERIES.map((change) => forged(together[1], change)), { ...together[1], run_id: String(signed.run_id) }];
    for (const [n, other] of others.entries())
      expect(await verify(exported(`forged-${n}.jsonl`, [...together.slice(0, 1), other]))).toMatchObject({
        code: BROKEN,
        fault: { why: 'wrong_signature' },
      });
  });
});

describe('the script in docs/evidence.md', () => {
  const [script] = fencesOf('docs/evidence.md').filter(({ mark }) => mark === 'passkey');
  beforeAll(() => {
    mkdirSync(join(folder, 'auditor'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'auditor', 'node_modules'));
    writeFileSync(join(folder, 'auditor', 'verify-passkey.mjs'), script?.text ?? '');
  });

  async function check(record: JsonObject | undefined) {
    writeFileSync(join(folder, 'record.json'), JSON.stringify(record));
    return node(['auditor/verify-passkey.mjs', 'record.json']);
  }

  it('is short, and verifies a record with a WebAuthn library alone', async () => {
    expect(script?.text.split('\n').length).toBeLessThanOrEqual(40);
    const { code, stdout, stderr } = await check(signed);
    expect([code, stderr]).toEqual([0, '']);
    const said = ['anna', 'ben'].map((who) => `${who} approved run ${signed.run_id} with a passkey of gateway.example.com\n`);
    expect(stdout).toBe(said.join(''));
  });

  it('fails for a changed record', async () => {
    const find = (list: readonly JsonObject[]) => list.find(({ run_id }) => run_id === signed.run_id);
    expect((await check(find(changed((one) => Object.assign(one, { signature: 'MAYCAQECAQE' }))))).code).toBe(1);
    expect((await check({ ...signed, run_id: 'another' })).code).toBe(1);
  });

  it('verifies the decision of a delegate in the records of a run and of its copy, and nothing else there', async () => {
    const said = `ben approved run ${together[0]?.run_id} with a passkey of gateway.example.com\n`;
    for (const record of together) expect(await check(record)).toMatchObject({ code: 0, stdout: said });
    for (const change of FORGERIES) expect((await check(forged(together[1], change))).code).toBe(1);
    expect((await check({ ...together[1], run_id: 'another' })).code).toBe(1);
  });
});
