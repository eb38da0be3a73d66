import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { whyNoMount } from './mount.ts';

let gateway: TestGateway;
const at = (name: string): string => join(gateway.folder, name);
beforeEach(async () => {
  gateway = await TestGateway.start({ config: echoConfig(), here: true });
});
afterEach(() => gateway.dispose());

/** For the next start. */
async function configureLedger(ledger: JsonObject): Promise<void> {
  await gateway.configure({ ...JSON.parse(await readFile(at('svc.yaml'), 'utf8')), ledger });
}

const move = (from: string, to: string): Promise<void> => rename(at(from), at(to));

/** All that a client, an auditor and a balancer ask is refused, and the log has said it once. */
async function expectNothingAnswered(of: TestGateway, run_id: string): Promise<void> {
  const chats = await Promise.all([of.chat('hello'), of.chat('hello', { stream: true }), of.chat('a wire transfer')]);
  const reads = [`/v1/runs/${run_id}`, '/v1/audit/ledger', '/v1/audit/ledger/checkpoint', '/v1/audit/report'];
  const answers = [...chats, ...(await Promise.all(reads.map((path) => of.get(path))))];
  expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(answers.map(() => '503 SVC-STORE-001'));
  expect((await of.get('/v1/health')).status).toBe(503);
  expect((await of.get('/readyz', null)).status).toBe(503);
  expect((await of.get('/livez', null)).status).toBe(204);
  await of.logged('store_gone');
  expect(of.output.match(/"event":"store_gone"/g)).toHaveLength(1);
}

const LOSSES: [string, () => Promise<unknown>][] = [
  ['whose data file is removed', () => rm(at('runs-db/data.mdb'))],
  ['that is removed', () => rm(at('runs-db'), { recursive: true })],
  ['that is renamed, an empty folder in its place', () => move('runs-db', 'away').then(() => mkdir(at('runs-db')))],
  [
    'that is renamed, a copy in its place',
    async () => {
      await cp(at('runs-db'), at('copy'), { recursive: true });
      await move('runs-db', 'away');
      await move('copy', 'runs-db');
    },
  ],
  [
    'whose data file is replaced by a copy',
    async () => {
      await cp(at('runs-db/data.mdb'), at('copy.mdb'));
      await move('copy.mdb', 'runs-db/data.mdb');
    },
  ],
];

it.each(LOSSES)('a runs-db %s under the server: 503 from then on, and a normal shutdown', async (_, lose) => {
  const run_id = (await gateway.chat('hello')).headers.get('x-svc-run-id') ?? '';
  await lose();
  await expectNothingAnswered(gateway, run_id);
  expect(await gateway.stop()).toBe(0);
});

const noMount = whyNoMount();
it.skipIf(noMount !== null)('a runs-db whose mount goes away under the server: 503 from then on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mounted-'));
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
  const mounted = await TestGateway.start({ config: echoConfig(), args: ['--runs-db', join(folder, 'runs-db')] });
  try {
    const run_id = (await mounted.chat('hello')).headers.get('x-svc-run-id') ?? '';
    execFileSync('umount', ['-l', folder]);
    await expectNothingAnswered(mounted, run_id);
    expect(await mounted.stop()).toBe(0);
  } finally {
    await mounted.dispose();
    await rm(folder, { recursive: true });
  }
});

describe('a start without the ledger', () => {
  const pins = ['runs-db.checkpoint', 'runs-db.checkpoint.operations'];
  const beside = ['runs-db.key', ...pins];

  it.each([
    ['key and checkpoints', []],
    ['the key alone', pins],
    ['the checkpoints alone', ['runs-db.key']],
  ])('is refused each time while %s exist, until they are moved away', async (_, gone) => {
    await gateway.stop();
    await rm(at('runs-db'), { recursive: true });
    for (const name of gone) await rm(at(name));
    const left = beside.filter((name) => !gone.includes(name));
    for (let n = 0; n < 2; n += 1)
      await expect(gateway.launch()).rejects.toThrow(new RegExp(`^svc: .*${left.join('.*')}.* move `, 'm'));
    // Nothing was made of what is gone.
    for (const name of gone) expect(await readdir(gateway.folder)).not.toContain(name);
    for (const name of left) await move(name, `${name}.before`);
    await gateway.launch();
    expect((await gateway.chat('hello')).status).toBe(200);
  });

  it('continues after a first start that was killed', async () => {
    await gateway.dispose();
    gateway = await TestGateway.start({ config: echoConfig() });
    await gateway.stop('SIGKILL');
    await gateway.launch();
    expect((await gateway.chat('hello')).status).toBe(200);
  });
});

describe('an older copy instead of the runs-db', () => {
  beforeEach(async () => {
    await gateway.stop();
    await cp(at('runs-db'), at('older'), { recursive: true });
    await gateway.launch();
    await gateway.chat('hello');
    await gateway.stop();
    await rm(at('runs-db'), { recursive: true });
    await move('older', 'runs-db');
  });

  it('is refused by default, even if only its operations are older, until an operator moves both checkpoints away', async () => {
    await expect(gateway.launch()).rejects.toThrow(/older copy of .* was restored.*runs-db\.checkpoint/);
    await move('runs-db.checkpoint', 'kept');
    await expect(gateway.launch()).rejects.toThrow(/older copy of .* was restored.*runs-db\.checkpoint\.operations/);
    await move('runs-db.checkpoint.operations', 'kept.operations');
    await gateway.launch();
    expect((await gateway.chat('hello')).status).toBe(200);
    expect(await gateway.stop()).toBe(0);
    expect(await readdir(gateway.folder)).toContain('runs-db.checkpoint');
  });

  it('is refused under another origin too', async () => {
    await configureLedger({ origin: 'example.org/other' });
    await expect(gateway.launch()).rejects.toThrow(/older copy of .* was restored/);
  });

  it('is accepted if the operator turned that off', async () => {
    await configureLedger({ pinned_checkpoint_file: false });
    await gateway.launch();
    expect((await gateway.chat('hello')).status).toBe(200);
  });
});

it('a changed origin is not an older copy', async () => {
  await gateway.chat('hello');
  await gateway.stop();
  await configureLedger({ origin: 'example.org/other' });
  await gateway.launch();
  expect((await gateway.chat('hello')).status).toBe(200);
});

it('if a checkpoint cannot be stored beside it, the start is refused with the setting to change', async () => {
  await gateway.stop();
  await rm(at('runs-db.checkpoint'));
  await mkdir(at('elsewhere'));
  await configureLedger({ pinned_checkpoint_file: 'not-there/checkpoint' });
  await expect(gateway.launch()).rejects.toThrow(
    /pinned_checkpoint_file .*not-there.* cannot be written: .*pinned_checkpoint_file: false/,
  );
  await configureLedger({ pinned_checkpoint_file: 'elsewhere/checkpoint' });
  await gateway.launch();
  expect(await gateway.stop()).toBe(0);
  expect(await readdir(at('elsewhere'))).toEqual(['checkpoint', 'checkpoint.operations']);
});
