import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { evidenceByRun } from './ledger-of.ts';
import { type DiskError, Machine, whyNoMachine } from './machine/machine.ts';
import { whyNoMount } from './mount.ts';

const CLIENTS = 8;
const noMachine = whyNoMachine();

/** Of an answer that was paid for with evidence, or a refusal. */
type RunAnswer = { readonly status: 200; readonly run_id: string; readonly evidence: string } | { readonly status: 503 };

async function ask(gateway: TestGateway, n: number): Promise<RunAnswer> {
  const { status, body, headers } = await gateway.chat('hello', { stream: n % 4 === 3 });
  if (status === 503) {
    // One that ends over it takes nothing new.
    if (body.code === 'SVC-BUSY-001') await until(() => gateway.output.includes('"ends":true'));
    else expect(body.code).toBe('SVC-STORE-001');
    return { status };
  }
  expect(status).toBe(200);
  return { status: 200, run_id: headers.get('x-svc-run-id') ?? '', evidence: headers.get('x-svc-evidence') ?? '' };
}

/** Every acknowledged run is there, with the evidence that its caller received, and the ledger is complete. */
async function expectKept(gateway: TestGateway, answers: readonly RunAnswer[]): Promise<void> {
  const evidence = await evidenceByRun(gateway);
  for (const answer of answers) {
    if (answer.status !== 200 || answer.evidence === '') continue;
    const record = evidence.get(answer.run_id);
    expect(`${record?.seq} ${record?.hash}`).toBe(answer.evidence);
  }
}

/** Clients that ask without a pause until one is refused, and then a round more, in which all are. */
async function askUntilRefused(gateway: TestGateway): Promise<RunAnswer[]> {
  const answers: RunAnswer[] = [];
  let full = false;
  const client = async (): Promise<void> => {
    while (!full) {
      const answer = await ask(gateway, answers.length);
      answers.push(answer);
      full ||= answer.status === 503;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

describe.skipIf(noMachine !== null)(`a disk that fails${noMachine === null ? '' : `: ${noMachine}`}`, () => {
  let folder: string;
  let machine: Machine;
  let gateway: TestGateway;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
    machine = new Machine(join(folder, 'data.mdb'), join(folder, 'commits.log'));
    gateway = await TestGateway.start({ config: echoConfig(), args: ['--runs-db', folder], env: machine.env });
  });
  afterEach(async () => {
    await gateway.dispose();
    machine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const faults: [string, DiskError, (error: DiskError | null) => void][] = [
    ['write', 'EIO', (error) => machine.failWrites(error)],
    ['write', 'ENOSPC', (error) => machine.failWrites(error)],
    ['write', 'EROFS', (error) => machine.failWrites(error)],
    ['sync', 'EIO', (error) => machine.failSyncs(error)],
    ['sync', 'ENOSPC', (error) => machine.failSyncs(error)],
  ];
  it.each(faults)('at a %s with %s causes 503 SVC-STORE-001, and after a restart nothing is missing', async (_, error, fail) => {
    const answers = [await ask(gateway, 0), await ask(gateway, 3)];
    const waits = (await gateway.chat('a wire transfer')).body.svc_run_id;
    fail(error);
    const refused = async (): Promise<void> => {
      const more = await askUntilRefused(gateway);
      expect(more.every(({ status }) => status === 503)).toBe(true);
      // No model is called any longer, and readers get an error.
      expect((await gateway.get('/v1/health')).status).toBe(503);
      expect((await gateway.get('/metrics', null)).text).toContain('\nsvc_evidence_writable 0\n');
      expect((await gateway.post(`/v1/runs/${waits}/resume`, { decision: 'approved' }, 'bob')).body.code).toBe('SVC-STORE-001');
    };
    const isGone = await refused().then(
      () => gateway.output.includes('"ends":true'),
      (thrown: unknown) => {
        if (thrown instanceof TypeError) return true;
        throw thrown;
      },
    );
    // LMDB's message about the failed write overran its buffer. The process ends in order, unless the C library finds the overrun first.
    if (isGone) await gateway.allEnded();
    fail(null);
    const code = await gateway.stop();
    if (code === null) expect(gateway.output).toMatch(/malloc|free\(\)|corrupted/);
    // Looked at when all of the output is there: it may begin to end after its last refusal.
    else expect(code).toBe(gateway.output.includes('"ends":true') ? 1 : 0);
    gateway.here = true;
    await gateway.launch();
    await expectKept(gateway, answers);
    expect((await gateway.post(`/v1/runs/${waits}/resume`, { decision: 'approved' }, 'bob')).body.status).toBe('completed');
    expect((await ask(gateway, 0)).status).toBe(200);
  });

  it('that fails during the start is reported in one line, and the process does not hang', async () => {
    await gateway.stop();
    machine.failSyncs('EIO');
    await expect(gateway.launch()).rejects.toThrow(/ended with 1/);
    machine.failSyncs(null);
    gateway.here = true;
    await gateway.launch();
    expect((await ask(gateway, 0)).status).toBe(200);
  });
});

const noMount = whyNoMount();

describe.skipIf(noMount !== null)(`a small disk${noMount === null ? '' : `: ${noMount}`}`, () => {
  let folder: string;
  let gateway: TestGateway | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder]);
  });
  afterEach(async () => {
    await gateway?.dispose();
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('of 3 MB fills up: then 503, and everything acknowledged is still there once there is space', async () => {
    const filled = await TestGateway.start({ config: echoConfig(), args: ['--runs-db', folder] });
    gateway = filled;
    const answers = await askUntilRefused(filled);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
    expect((await gateway.get('/v1/health')).status).toBe(503);
    await expectKept(gateway, answers);

    // What others leave on the disk takes the last of it, reserve and all.
    expect(() => writeFileSync(join(folder, 'others'), Buffer.alloc(3 << 20))).toThrow(/ENOSPC/);
    expect((await ask(gateway, 0)).status).toBe(503);
    expect((await ask(gateway, 3)).status).toBe(503);
    const before = filled.pid;

    rmSync(join(folder, 'others'));
    execFileSync('mount', ['-o', 'remount,size=64m', folder]);
    // It goes on by itself, and after a restart too.
    await until(async () => (await filled.get('/v1/health')).status === 200);
    answers.push(await ask(gateway, 0));
    expect(filled.pid).toBe(before);
    expect(await gateway.stop()).toBe(0);
    gateway.here = true;
    await gateway.launch();
    answers.push(await ask(gateway, 0));
    expect(answers.at(-1)?.status).toBe(200);
    await expectKept(gateway, answers);
  });

  it('that is mounted read-only is refused at the start in one line, and works once it is writable', async () => {
    gateway = await TestGateway.start({ config: echoConfig(), args: ['--runs-db', folder], here: true });
    const answers = [await ask(gateway, 0)];
    await gateway.stop();
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    await expect(gateway.launch()).rejects.toThrow(/ended with 1/);
    execFileSync('mount', ['-o', 'remount,rw', folder]);
    await gateway.launch();
    await expectKept(gateway, answers);
  });
});
