import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { evidenceByRun } from './ledger-of.ts';
import { whyNoMount } from './mount.ts';

const CLIENTS = 8;
const ROUNDS = 3;
/** So many more bytes than any disk here has. */
const ALL = Buffer.alloc(64 << 20);
const noMount = whyNoMount();

describe.skipIf(noMount !== null)(`a disk that another program fills at once${noMount === null ? '' : `: ${noMount}`}`, () => {
  let folder: string;
  let gateway: TestGateway;
  const receipts = new Map<string, string>();
  let answers: number[] = [];
  /** A test that failed must not go on asking. */
  let over = false;
  beforeEach(() => {
    over = false;
    folder = mkdtempSync(join(tmpdir(), 'svc-filled-'));
    receipts.clear();
    answers = [];
  });
  afterEach(async () => {
    over = true;
    await gateway.dispose();
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Of any size, so that some of them go into pages of their own. */
  async function ask(): Promise<void> {
    const { status, body, headers } = await gateway.chat('hello '.repeat((answers.length * 37) % 5_000));
    answers.push(status);
    if (status === 200) receipts.set(headers.get('x-svc-run-id') ?? '', headers.get('x-svc-evidence') ?? '');
    else expect(body.code).toBe('SVC-STORE-001');
  }

  async function askUntil(done: () => boolean): Promise<void> {
    const client = async (): Promise<void> => {
      while (!over && !done()) await ask();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  it.each(['8m', '40m'])(
    '(%s): 503 meanwhile, and it resumes by itself once there is space',
    async (size) => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
      const runs_db = join(folder, 'runs-db');
      // What it writes of content is large.
      gateway = await TestGateway.start({
        config: echoConfig({ server: { record_content: true }, store: { content_key_file: join(folder, 'content.key') } }),
        args: ['--runs-db', runs_db],
      });
      const { pid } = gateway;
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = answers.length;
        let full = false;
        const since = (status: number): number => answers.slice(before).filter((one) => one === status).length;
        const asking = askUntil(() => since(503) > 20);
        await expect.poll(() => since(200), { timeout: 60_000 }).toBeGreaterThan(20);
        try {
          writeFileSync(join(folder, 'others'), ALL);
        } catch (error) {
          full = String(error).includes('ENOSPC');
        }
        expect(full).toBe(true);
        await asking;
        expect((await gateway.get('/v1/health')).status).toBe(503);
        rmSync(join(folder, 'others'));
        const freed = answers.length;
        await askUntil(() => answers.slice(freed).includes(200));
        expect(gateway.pid).toBe(pid);
      }
      expect(gateway.output).not.toContain('store_write_failed');
      expect(new Set(answers)).toEqual(new Set([200, 503]));
      expect(await gateway.stop()).toBe(0);
      // The checkpoint beside it lies on that disk, too.
      const kept = ['content.key', 'runs-db', 'runs-db.checkpoint', 'runs-db.checkpoint.operations', 'runs-db.key'];
      expect(readdirSync(folder).sort()).toEqual(kept);
      await gateway.launch();
      const evidence = await evidenceByRun(gateway);
      for (const [run_id, receipt] of receipts)
        expect(`${evidence.get(run_id)?.seq} ${evidence.get(run_id)?.hash}`).toBe(receipt);
    },
    120_000,
  );
});
