import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { base64Of, cosignaturesIn, EMPTY_ROOT, openNote, parseCheckpoint, parseVerifierKey, parseWitnessKey } from '@svc/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../bench/processes.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { go, skipsGo } from '../harness/go.ts';

const MODULE = join(import.meta.dirname, 'tlog');
const ORIGIN = 'example.org/gateway';
const NAME = 'witness.example/lite';
/** Building litewitness for the first time takes minutes. */
const LONG = 900_000;

function hasSshAgent(): boolean {
  try {
    execFileSync('ssh-add', ['-l'], { stdio: 'ignore', env: { PATH: process.env.PATH, SSH_AUTH_SOCK: '/nonexistent' } });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
const skips = skipsGo('litewitness') || (!hasSshAgent() && process.env.CI !== 'true');
if (!hasSshAgent()) console.warn('litewitness: skipped because of missing ssh-agent');

/** The witness of torchwood, whose key is in an ssh-agent. */
class Litewitness {
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];
  url = '';
  vkey = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<void> {
    const at = (name: string) => join(this.#folder, name);
    await go(MODULE, ['build', '-o', at('litewitness'), 'filippo.io/torchwood/cmd/litewitness']);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('key')]);
    const agent = spawn('ssh-agent', ['-D', '-a', at('agent')], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#children.push(agent);
    await new Promise((resolve) => agent.stdout?.once('data', resolve));
    execFileSync('ssh-add', ['-q', at('key')], { env: { ...process.env, SSH_AUTH_SOCK: at('agent') }, stdio: 'ignore' });
    const [, fingerprint = ''] = execFileSync('ssh-keygen', ['-lf', at('key')], { encoding: 'utf8' }).split(' ');
    // It logs the port that it was given, so it cannot choose one.
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const args = ['-name', NAME, '-db', at('db'), '-ssh-agent', at('agent'), '-listen', `127.0.0.1:${port}`, '-key', fingerprint];
    const witness = spawn(at('litewitness'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#children.push(witness);
    for await (const line of createInterface({ input: witness.stderr })) {
      this.vkey = /vkey="?([^" ]+)"?/.exec(line)?.[1] ?? this.vkey;
      if (this.vkey !== '') break;
    }
    witness.stderr?.resume();
  }

  /** What witnessctl add-log does. */
  add(origin: string, key: string): void {
    const db = new DatabaseSync(join(this.#folder, 'db'));
    db.prepare('INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)').run(origin, base64Of(EMPTY_ROOT));
    db.prepare('INSERT INTO key (origin, key) VALUES (?, ?)').run(origin, key);
    db.close();
  }

  stop(): void {
    for (const child of this.#children) child.kill();
  }
}

describe.skipIf(skips)('litewitness of torchwood', { timeout: LONG }, () => {
  let folder: string;
  let witness: Litewitness;
  let gateway: TestGateway;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-lite-'));
    witness = new Litewitness(folder);
    await witness.start();
    const witnesses = [{ url: witness.url, vkey: witness.vkey }];
    gateway = await TestGateway.start({ here: true, config: echoConfig({ ledger: { origin: ORIGIN, witnesses } }) });
  }, LONG);
  afterAll(async () => {
    await gateway?.dispose();
    witness?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('cosigns the checkpoints of a ledger that grows, and svc ledger verify requires it by a policy', async () => {
    const { verifier_keys } = (await gateway.get('/v1/audit/ledger/keys')).body;
    witness.add(ORIGIN, verifier_keys[0]);
    const cosigned = async () => (await gateway.get('/v1/audit/ledger/checkpoint?cosigned=true')).text;
    for (let round = 0; round < 2; round++) {
      for (let runs = 0; runs < 20; runs++) await gateway.chat('hello');
      const { size } = parseCheckpoint(openNote((await gateway.get('/v1/audit/ledger/checkpoint')).text, []).text);
      const sizeCosigned = async () => Number((await cosigned()).split('\n')[1]);
      await expect.poll(sizeCosigned, { timeout: 60_000 }).toBe(size);
    }
    const note = await cosigned();
    expect(openNote(note, verifier_keys.map(parseVerifierKey)).signedBy).toHaveLength(1);
    expect(cosignaturesIn(note, [parseWitnessKey(witness.vkey)])).toHaveLength(1);

    const kept = join(folder, 'kept.checkpoint');
    const policy = join(folder, 'policy.txt');
    writeFileSync(kept, note);
    writeFileSync(policy, `log ${verifier_keys[0]}\nwitness lite ${witness.vkey}\nquorum lite\n`);
    const verify = (...args: string[]) => {
      const env = { ...process.env, SVC_KEY: gateway.key('alice') };
      const child = spawn(process.execPath, [MAIN, 'ledger', 'verify', gateway.url, '--json', '--checkpoint', kept, ...args], {
        env,
      });
      let out = '';
      child.stdout.on('data', (part: Buffer) => {
        out += part;
      });
      return new Promise<{ code: number | null; out: string }>((resolve) =>
        child.once('close', (code) => resolve({ code, out })),
      );
    };
    const { code, out } = await verify('--policy', policy);
    expect([code, JSON.parse(out).proven]).toEqual([0, expect.arrayContaining(['as_signed', 'cosigned'])]);
    expect(JSON.parse(out).checkpoints[0].cosigned_by).toMatchObject([{ name: expect.stringContaining(NAME) }]);

    // Without the cosignature, or with one changed bit of it, the checkpoint is refused.
    const lines = note.split('\n');
    const at = lines.findIndex((line) => line.startsWith(`\u2014 ${NAME} `));
    const bytes = Buffer.from(lines[at]?.split(' ')[2] ?? '', 'base64');
    const changed = `\u2014 ${NAME} ${Buffer.from(bytes.with(40, (bytes[40] ?? 0) ^ 1)).toString('base64')}`;
    for (const other of [lines.toSpliced(at, 1), lines.with(at, changed)]) {
      writeFileSync(kept, other.join('\n'));
      expect((await verify('--policy', policy)).code).toBe(1);
    }
  });
});
