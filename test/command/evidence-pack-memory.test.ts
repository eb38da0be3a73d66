import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { type Chained, evidence } from '../harness/evidence.ts';
import { MAIN } from '../harness/gateway.ts';
import { LargeGateway, largeLedger } from './large-gateway.ts';
import { extract, runProgram } from './pack-scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-large-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints the most memory that the process used, in KiB. */
const REPORTING = `--import=data:text/javascript,process.on('exit',()=>process.stderr.write('maxRSS='+process.resourceUsage().maxRSS))`;
/** A heap that the records would not fit into. Without the limit, garbage is collected late. */
const LIMITED = ['--max-old-space-size=56', '--max-semi-space-size=2'];
const endOf = (run: number): string => String(evidence(run).completed_at);
const mebibytes = (text: string): number => Number(/maxRSS=(\d+)/.exec(text)?.[1]) / 1024;

/** Packs four fifths of a ledger. @returns MiB of memory of the command and of the verifier, and of the records */
async function memoryFor(ledger: readonly Chained[]): Promise<{ pack: number; verify: number; records: number }> {
  const runs = ledger.length;
  const gateway = new LargeGateway(ledger);
  await gateway.listen();
  try {
    const out = join(folder, `${runs}.tar.gz`);
    const period = ['--from', endOf(runs / 10), '--to', endOf((runs / 10) * 9)];
    const args = [...LIMITED, REPORTING, MAIN, 'evidence', 'pack', '--server', gateway.url, '--out', out, ...period];
    const { stderr } = await promisify(execFile)(process.execPath, args);
    const of = extract(out, folder);
    const verified = await runProgram([...LIMITED, REPORTING, join(of, 'verify.mjs')]);
    expect(verified.code, verified.stdout).toBe(0);
    const { facts } = JSON.parse(readFileSync(join(of, 'requirements.json'), 'utf8'));
    expect(facts.runs.ended).toBe((runs / 10) * 8);
    const records = statSync(join(of, 'ledger', 'records.jsonl')).size / 2 ** 20;
    return { pack: mebibytes(stderr), verify: mebibytes(verified.stderr), records };
  } finally {
    gateway.close();
  }
}

/** How many MiB more a larger ledger takes. Both fill the heap up to its limit: with fewer runs, garbage would not be collected yet. */
async function growthOver(ledger: readonly Chained[]): Promise<{ pack: number; verify: number; records: number }> {
  const [small, large] = [await memoryFor(ledger.slice(0, 28_000)), await memoryFor(ledger)];
  const more = (of: keyof typeof small) => large[of] - small[of];
  return { pack: more('pack'), verify: more('verify'), records: more('records') };
}

it('takes memory that does not grow with the records of the pack', { timeout: 900_000 }, async () => {
  const ledger = largeLedger(66_000);
  // A list of all records would take twice their size, as texts and as objects. On a busy machine, one measurement may be too high.
  const isHigh = ({ pack, verify, records }: typeof grown) => Math.max(pack, verify) >= records / 2;
  let grown = await growthOver(ledger);
  for (let tries = 1; tries < 3 && isHigh(grown); tries += 1) grown = await growthOver(ledger);
  expect(grown.records).toBeGreaterThan(40);
  expect(grown.pack).toBeLessThan(grown.records / 2);
  expect(grown.verify).toBeLessThan(grown.records / 2);
});
