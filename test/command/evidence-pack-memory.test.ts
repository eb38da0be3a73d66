import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { MAIN } from '../harness/gateway.ts';
import { LargeGateway, timeOf } from './large-gateway.ts';
import { extract, runProgram } from './pack-scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-large-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints the most memory that the process used, in KiB. */
const REPORTING = `--import=data:text/javascript,process.on('exit',()=>process.stderr.write('maxRSS='+process.resourceUsage().maxRSS))`;
const mebibytes = (text: string): number => Number(/maxRSS=(\d+)/.exec(text)?.[1]) / 1024;

/** Packs four fifths of a ledger. @returns MiB of memory of the command and of the verifier, and of the records */
async function memoryFor(runs: number): Promise<{ pack: number; verify: number; records: number }> {
  const gateway = new LargeGateway(runs);
  await gateway.listen();
  try {
    const out = join(folder, `${runs}.tar.gz`);
    const period = ['--from', timeOf(runs / 10), '--to', timeOf((runs / 10) * 9)];
    const args = [REPORTING, MAIN, 'evidence', 'pack', '--server', gateway.url, '--out', out, ...period];
    const { stderr } = await promisify(execFile)(process.execPath, args);
    const of = extract(out, folder);
    const verified = await runProgram([REPORTING, join(of, 'verify.mjs')]);
    expect(verified.code, verified.stdout).toBe(0);
    const records = statSync(join(of, 'ledger', 'records.jsonl')).size / 2 ** 20;
    return { pack: mebibytes(stderr), verify: mebibytes(verified.stderr), records };
  } finally {
    gateway.close();
  }
}

it('takes memory that does not grow with the records of the pack', async () => {
  const [small, large] = [await memoryFor(30_000), await memoryFor(120_000)];
  const more = large.records - small.records;
  console.info({ small, large });
  expect(more).toBeGreaterThan(50);
  // A list of all records would take twice their size, as texts and as objects.
  expect(large.pack - small.pack).toBeLessThan(more / 2);
  expect(large.verify - small.verify).toBeLessThan(more / 2);
});
