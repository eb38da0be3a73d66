/**
 * `node test/bench/verify.ts [--records N] [--rounds N]` measures how fast a ledger is verified. It creates a ledger of realistic evidence, and
 * verifies it in memory with one thread and from a file with the command, which uses all cores. It reports records per second per core by processor
 * time, and records per second by the clock. It passes no judgement.
 */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LedgerVerifier } from '@svc/ledger';
import { chain, evidence, inventory } from '../harness/evidence.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'host', 'dist', 'main.js');
const { values } = parseArgs({
  options: { records: { type: 'string', default: '200000' }, rounds: { type: 'string', default: '5' } },
});
const count = Number(values.records);
const rounds = Number(values.rounds);
if (!(Number.isInteger(count) && count > 1 && Number.isInteger(rounds) && rounds > 0))
  throw new Error('--records and --rounds are whole numbers above 0');

const SOME = 10_000;

/** Made in batches, because the texts of all records at once would need gigabytes. */
function makeRecords(): Buffer[] {
  const made: Buffer[] = [];
  for (let hash = 'genesis'; made.length < count; ) {
    const { length } = made;
    const bodies = Array.from({ length: Math.min(SOME, count - length) }, (_, n) =>
      length + n === 0 ? inventory() : evidence(length + n),
    );
    const some = chain(bodies, { seq: length, hash });
    made.push(...some.map(({ bytes }) => Buffer.from(bytes)));
    hash = some.at(-1)?.hash ?? hash;
  }
  return made;
}

const records = makeRecords();
const total = records.reduce((sum, { length }) => sum + length, 0);
process.stdout.write(
  `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}: ${count} records, ${Math.round(total / count)} bytes on average\n`,
);

/** The best of the rounds, in seconds of processor time and elapsed time. */
function best(work: () => { cpu: number; wall: number }): { cpu: number; wall: number } {
  const times = Array.from({ length: rounds }, work);
  return { cpu: Math.min(...times.map(({ cpu }) => cpu)), wall: Math.min(...times.map(({ wall }) => wall)) };
}

function timed(work: () => void): { cpu: number; wall: number } {
  const [started, used] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(used);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - started) / 1e3 };
}

function show(what: string, { cpu, wall }: { cpu: number; wall: number }): void {
  const rate = (seconds: number) =>
    `${Math.round(count / seconds).toLocaleString('en')} records/s, ${Math.round(total / seconds / 1e6)} MB/s`;
  process.stdout.write(`${what.padEnd(44)} processor time: ${rate(cpu).padEnd(32)} clock: ${rate(wall)}\n`);
}

show(
  'only SHA-256 of the records',
  best(() =>
    timed(() => {
      for (const record of records) hash('sha256', record, 'hex');
    }),
  ),
);
show(
  'verified in memory, one thread',
  best(() =>
    timed(() => {
      const verifier = new LedgerVerifier();
      for (const record of records) verifier.add(record);
      if (verifier.report().fault !== null) throw new Error('the ledger is not intact');
    }),
  ),
);
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
try {
  const file = join(folder, 'ledger.jsonl');
  const handle = openSync(file, 'w');
  for (let at = 0; at < count; at += 1000) writeSync(handle, `${records.slice(at, at + 1000).join('\n')}\n`);
  closeSync(handle);
  show(
    'svc ledger verify FILE, with its start',
    best(() => {
      const script = `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write(String(user + system)); });`;
      const args = ['--import', `data:text/javascript,${encodeURIComponent(script)}`, MAIN, 'ledger', 'verify', file];
      const started = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (status !== 3) throw new Error(`svc ledger verify ended with ${status}: ${stderr}`);
      return { cpu: Number(stderr) / 1e6, wall: (performance.now() - started) / 1e3 };
    }),
  );
} finally {
  rmSync(folder, { recursive: true });
}
