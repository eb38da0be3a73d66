// Measures how long `secrets` and `pii` check whole texts: `npm run bench:guards-text -- FILE.jsonl`, with a line {"text"} per text. The texts are joined,
// repeated and cut to each length. Short ones are checked on the event loop, long ones in a thread.
import { readFileSync } from 'node:fs';
import { fakeGuardContext } from '@svc/sdk/testing';
import { loneText } from '@svc/toolkit/segments';
import { created, GUARD_SETS, type GuardSet } from '../harness/stream-lag.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('npm run bench:guards-text -- FILE.jsonl');
const lines = readFileSync(file, 'utf8').trim().split('\n');
const prose = lines.map((line): string => JSON.parse(line).text).join('\n');

const SETS = ['secrets', 'pii without names', 'pii'] as const satisfies readonly GuardSet[];
const LENGTHS = [1_000, 8_000, 30_000, 100_000, 4_000_000];
/** Total length of the measured texts of each length. The fastest counts, because other work on the machine only adds time. */
const TOTAL = 8_000_000;
const MAX_TIMES = 500;

process.stdout.write('GUARD               CHARACTERS         MS     CPU MS   MB/S OF CPU\n');
for (const set of SETS) {
  const guards = GUARD_SETS[set].map(([definition, written]) => created(definition, written));
  for (const guard of guards) await guard.start?.();
  for (const length of LENGTHS) {
    let [elapsed, cpu] = [Infinity, Infinity];
    for (let time = 0; time < Math.max(2, Math.min(MAX_TIMES, TOTAL / length)); time++) {
      const from = (time * length) % Math.max(1, prose.length - length);
      const text = prose.repeat(Math.ceil((from + length) / prose.length)).slice(from, from + length);
      const [began, before] = [performance.now(), process.cpuUsage()];
      for (const guard of guards) await guard.check([loneText(text)], fakeGuardContext());
      const { user, system } = process.cpuUsage(before);
      elapsed = Math.min(elapsed, performance.now() - began);
      cpu = Math.min(cpu, (user + system) / 1000);
    }
    const figures = [elapsed.toFixed(2), cpu.toFixed(2), (length / cpu / 1000).toFixed(1)].map((figure) => figure.padStart(10));
    process.stdout.write(`${set.padEnd(18)} ${String(length).padStart(11)} ${figures.join(' ')}\n`);
  }
}
