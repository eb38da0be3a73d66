import type { Faults } from './faults.ts';
import { type Law, law } from './law.ts';
import type { Load, Sample } from './load.ts';

/** After a fault, a provider may be skipped for a while. */
const GRACE_MS = 15_000;

/** What must hold of the answers that clients got, while the gateway ran. */
export function lawsOfAnswers({ samples, kept, began }: Load, faults: Faults): Law[] {
  const isCalm = ({ at, ms }: Sample): boolean =>
    faults.windows.every(({ from, to }) => began + at * 1_000 > to + GRACE_MS || began + at * 1_000 + ms < from);
  const unexplained = samples.filter((sample) => sample.result !== 'answered' && isCalm(sample));
  const places = unexplained.map(({ kind, at, result }) => `${kind} at ${Math.round(at)} s: ${result}`);
  const wrong = samples.flatMap(({ fault }) => fault ?? []);
  const hung = samples.filter(({ result }) => result === 'hung').length;
  const made = [...faults.made.values()].reduce((sum, count) => sum + count, 0);
  return [
    law(
      'every request gets its answer or an error with a code',
      wrong.length === 0,
      `${wrong.length} of ${samples.length} do not`,
      wrong,
    ),
    law('a request fails only because of a fault', unexplained.length === 0, `${unexplained.length} fail without one`, places),
    law('no request waits longer than its limit', hung === 0, `${hung} of ${samples.length} wait longer`),
    law('a repeated idempotency key gets one run', kept.twice.length === 0, `${kept.twice.length} keys with several runs`),
    law('the gateway recovers from each fault', faults.failures.length === 0, `${made} faults`, faults.failures),
  ];
}
