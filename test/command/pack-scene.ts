import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCheckpoint, parseNote, parseVerifierKey, type Signer, signingKey, type Verifier, witnessKey } from '@svc/ledger';
import { expect } from 'vitest';
import { silentLogger } from '../../host/src/telemetry/log/logger.ts';
import { skipsTimestamps, TestTimestampAuthority } from '../../host/src/timestamps/test-authority.ts';
import { Cosigner } from '../../host/src/witness/cosigner.ts';
import { witnessServer } from '../../host/src/witness/witness-server.ts';
import { WitnessState } from '../../host/src/witness/witness-state.ts';
import { decide, pausedRun } from '../contract/pausing-gateway.ts';
import { Approver } from '../harness/approver.ts';
import { Authenticator } from '../harness/authenticator.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { svcHere } from '../harness/svc-here.ts';
import { until } from '../harness/until.ts';

const PAGES_ORIGIN = 'https://gateway.example.com';
const LEDGER_ORIGIN = 'example.org/gateway';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in another process: the gateway is in this one. */
export async function runProgram(args: readonly string[], { cwd, key }: { cwd?: string; key?: string } = {}): Promise<Ended> {
  const { SVC_KEY: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd, env: key === undefined ? env : { ...env, SVC_KEY: key }, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Extracts an archive with the machine's tar, an implementation that is not ours. @returns the folder in it */
export function extract(archive: string, into: string): string {
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', into]);
  expect(status, String(stderr)).toBe(0);
  const listed = spawnSync('tar', ['-tzf', archive], { encoding: 'utf8' }).stdout;
  return join(into, listed.split('/')[0] ?? '');
}

function newPem(): string {
  return String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/**
 * A gateway with two signing keys, a witness and, with openssl, a time-stamp authority. A run ended before the period, others in it: of sessions, blocked,
 * approved and denied with and without a passkey, erased. A route was stopped. A run ended after the period.
 */
export class PackScene {
  readonly folder: string;
  readonly gateway: TestGateway;
  /** ISO 8601. */
  from = '';
  to = '';
  readonly #issuer: IssuerProcess;
  readonly #authority: TestTimestampAuthority | null;
  readonly #server: Server;

  private constructor(
    folder: string,
    gateway: TestGateway,
    issuer: IssuerProcess,
    authority: TestTimestampAuthority | null,
    server: Server,
  ) {
    this.folder = folder;
    this.gateway = gateway;
    this.#issuer = issuer;
    this.#authority = authority;
    this.#server = server;
  }

  static async start(): Promise<PackScene> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-pack-'));
    const issuer = await IssuerProcess.start({ groups: { anna: ['people'], ben: ['people'] } });
    const authority = skipsTimestamps ? null : new TestTimestampAuthority();
    const logs: Verifier[] = [];
    const witness: Signer = { name: 'witness.example', key: signingKey(generateKeyPairSync('ed25519').privateKey) };
    const state = await WitnessState.open(join(folder, 'witness'));
    const cosigner = new Cosigner(witness, logs, state);
    const server = witnessServer({ cosigner, state, origins: [LEDGER_ORIGIN], logger: silentLogger });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeFileSync(join(folder, 'policy.txt'), `witness w ${witnessKey(witness)}\nquorum w\n`);
    const entry = {
      issuer: issuer.url,
      audience: IssuerProcess.AUDIENCE,
      principal_prefix: 'corp:',
      roles: { claim: 'groups', map: { people: ['approve'] } },
      client_id: issuer.client.client_id,
      client_secret: 'secret://env/CLIENT_SECRET#value',
    };
    const route = (more: object) => ({
      provider: 'local',
      model: 'echo-1',
      pipeline: { ingress: ['policy'], egress: [] },
      ...more,
    });
    const gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        auth: { oidc: [entry], passkeys: { origin: PAGES_ORIGIN } },
        ledger: {
          origin: LEDGER_ORIGIN,
          signing_keys: ['secret://file/new.key#pem', 'secret://file/old.key#pem'],
          witnesses: [{ url, vkey: witnessKey(witness) }],
          ...(authority !== null && { timestamps: { url: await authority.listen(), ca: authority.caFile, every: '1s' } }),
        },
        server: { record_content: true },
        routes: { signed: route({ approval_passkey: 'required' }), other: route({ owner: 'claims team' }) },
      }),
      principals: [
        { principal_id: 'alice' },
        { principal_id: 'bob' },
        { principal_id: 'root', roles: ['admin', 'audit'] },
        { principal_id: 'caller', roles: ['call'] },
        { principal_id: 'limited', roles: ['audit'], routes: ['other'] },
      ],
      files: { 'new.key': newPem(), 'old.key': newPem() },
      env: { CLIENT_SECRET: issuer.client.client_secret },
    });
    logs.push(...(await gateway.get('/v1/audit/ledger/keys')).body.verifier_keys.map(parseVerifierKey));
    const scene = new PackScene(folder, gateway, issuer, authority, server);
    await scene.#play();
    return scene;
  }

  async #play(): Promise<void> {
    const { gateway } = this;
    const anna = await Approver.enter(gateway, this.#issuer, 'anna', new Authenticator(PAGES_ORIGIN, 'ES256'));
    expect((await anna.register()).status).toBe(201);
    const inSession = (session: string, content: string) =>
      gateway.request('POST', '/v1/chat/completions', {
        body: { model: 'default', messages: [{ role: 'user', content }] },
        headers: { 'x-svc-session': session },
      });
    await inSession('before-and-in', 'secret text one');
    this.from = await this.#moment();
    for (const session of ['first', 'second', 'before-and-in']) await inSession(session, `secret text of ${session}`);
    await inSession('first', 'ACC-12 secret text');
    await gateway.chat('forbidden secret text');
    await decide(gateway, await pausedRun(gateway, 'wire transfer, secret text two'), 'approved');
    await decide(gateway, await pausedRun(gateway, 'wire transfer, secret text three'), 'denied');
    const signed = await anna.decide(await pausedRun(gateway, 'wire transfer, secret text four', { route: 'signed' }));
    expect(signed.status).toBe(200);
    const messages = [{ role: 'user', content: 'secret text to erase' }];
    const { run_id } = (await gateway.post('/v1/runs', { route: 'other', messages })).body;
    expect((await gateway.request('DELETE', `/v1/runs/${run_id}/content`)).status).toBe(200);
    const body = { state: 'disabled', reason: 'a drill' };
    const path = '/v1/operations/states/route/other';
    expect((await gateway.request('PUT', path, { principal: 'root', body })).status).toBe(200);
    this.to = await this.#moment();
    // More than one operation after the period.
    await gateway.request('PUT', path, { principal: 'root', body: { state: 'enabled' } });
    // The run at the end of the pack has a signature by a passkey from after the period.
    const ben = await Approver.enter(gateway, this.#issuer, 'ben', new Authenticator(PAGES_ORIGIN, 'EdDSA'));
    expect((await ben.register()).status).toBe(201);
    expect((await ben.decide(await pausedRun(gateway, 'wire transfer, secret text five', { route: 'signed' }))).status).toBe(200);
    await inSession('first', 'secret text after');
    await this.settled();
  }

  /** A time that is later than all records so far, and earlier than all later ones. */
  async #moment(): Promise<string> {
    const now = Date.now();
    await until(() => Date.now() > now + 2);
    return new Date(now + 1).toISOString();
  }

  /** Resolves when the newest checkpoint is cosigned and time-stamped. Checkpoints are signed every ten seconds. */
  async settled(): Promise<void> {
    const sizeOf = async (query: string) => {
      const { status, text } = await this.gateway.get(`/v1/audit/ledger/checkpoint${query}`);
      return status === 200 ? parseCheckpoint(parseNote(text).text).size : 0;
    };
    const size = await sizeOf('');
    const queries = ['?cosigned=true', ...(this.#authority === null ? [] : ['?timestamped=true'])];
    await until(async () => (await Promise.all(queries.map(sizeOf))).every((one) => one === size));
  }

  get policyFile(): string {
    return join(this.folder, 'policy.txt');
  }

  /** Arguments that give the pack the certificates of the authority, if there is one. */
  get ca(): string[] {
    return this.#authority === null ? [] : ['--tsa-ca', this.#authority.caFile];
  }

  /** Runs `svc evidence pack --json` in this process, from source. */
  async pack(out: string, args: readonly string[], principal = 'alice'): Promise<Ended> {
    const env = { SVC_KEY: this.gateway.key(principal) };
    const { status, ...said } = await svcHere(this.#command(out, args), { cwd: this.folder, env });
    return { code: status, ...said };
  }

  #command(out: string, args: readonly string[]): string[] {
    return ['evidence', 'pack', '--server', this.gateway.url, '--out', out, '--json', ...args];
  }

  /** Writes the pack of a period and extracts it. @returns its folder */
  async extracted(name: string, from = this.from, to = this.to, more: readonly string[] = this.full): Promise<string> {
    const out = join(this.folder, `${name}.tar.gz`);
    return this.#extract(out, await this.pack(out, ['--from', from, '--to', to, ...more]));
  }

  /** The same with the whole period, but the command runs in a process of its own, from the build. */
  async extractedAsOperator(name: string): Promise<string> {
    const out = join(this.folder, `${name}.tar.gz`);
    const command = [MAIN, ...this.#command(out, ['--from', this.from, '--to', this.to, ...this.full])];
    return this.#extract(out, await runProgram(command, { cwd: this.folder, key: this.gateway.key('alice') }));
  }

  #extract(archive: string, { code, stderr }: Ended): string {
    expect(code, stderr).toBe(0);
    return extract(archive, mkdtempSync(`${archive}-`));
  }

  get full(): string[] {
    return ['--policy', this.policyFile, ...this.ca];
  }

  async dispose(): Promise<void> {
    await this.gateway.dispose();
    await this.#issuer.stop();
    this.#server.close();
    this.#authority?.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
