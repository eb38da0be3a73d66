// Measures the cost of guards on streams, token by token, in one thread: `npm run bench:guards-stream [-- --streams N --seconds N --kind KIND
// --guards SET]`. Concurrent streams get their tokens in turn, as in a gateway.
import { parseArgs } from 'node:util';
import type { GuardStream } from '@svc/sdk';
import { fakeGuardContext } from '@svc/sdk/testing';
import { CHANNEL, created, GUARD_SETS, type GuardSet, released } from '../harness/stream-lag.ts';
import { tokenStreams } from '../harness/token-streams.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '3' },
    kind: { type: 'string' },
    guards: { type: 'string' },
  },
});

const SLICE_MS = 200;

interface Answer {
  readonly tokens: readonly string[];
  streams: readonly GuardStream[];
  at: number;
}

async function push(streams: readonly GuardStream[], text: string): Promise<void> {
  let carried = text;
  for (const stream of streams) {
    if (carried === '') return;
    const step = stream.push({ ...CHANNEL, text: carried });
    carried = released(step instanceof Promise ? await step : step);
  }
}

/** Microseconds of processor time per token. Takes the minimum of many short measurements, because other work on the machine only adds time. */
async function measure(set: GuardSet, answers: readonly (readonly string[])[], count: number, ms: number): Promise<number> {
  const guards = GUARD_SETS[set].map(([definition, written]) => created(definition, written));
  for (const guard of guards) await guard.start?.();
  const open = (): GuardStream[] => guards.flatMap((guard) => guard.stream?.open(fakeGuardContext({ stage: 'egress' })) ?? []);
  const side: Answer[] = Array.from({ length: count }, (_, n) => {
    const tokens = answers[n % answers.length] ?? [];
    return { tokens, streams: open(), at: n % tokens.length };
  });
  const run = async (): Promise<number> => {
    let pushed = 0;
    const before = process.cpuUsage();
    for (const until = performance.now() + SLICE_MS; performance.now() < until; ) {
      for (const answer of side) {
        await push(answer.streams, answer.tokens[answer.at] ?? '');
        pushed += 1;
        answer.at += 1;
        if (answer.at < answer.tokens.length) continue;
        answer.at = 0;
        for (const stream of answer.streams) await stream.end(CHANNEL);
        answer.streams = open();
      }
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / pushed;
  };
  let least = Infinity;
  for (const until = performance.now() + ms; performance.now() < until; ) least = Math.min(least, await run());
  return least;
}

const kinds = [...tokenStreams()].filter(([kind]) => values.kind === undefined || kind === values.kind);
const sets = (Object.keys(GUARD_SETS) as GuardSet[]).filter((set) => values.guards === undefined || set === values.guards);
process.stdout.write('GUARDS                KIND          µs A TOKEN   TOKENS A SECOND A CORE\n');
for (const set of sets) {
  const times = [];
  for (const [kind, answers] of kinds) {
    const us = await measure(set, answers, Number(values.streams), Number(values.seconds) * 1000);
    times.push(us);
    row(set, kind, us);
  }
  if (kinds.length > 1) row(set, 'all', times.reduce((sum, us) => sum + us, 0) / times.length);
}

function row(set: string, kind: string, us: number): void {
  process.stdout.write(
    `${set.padEnd(21)} ${kind.padEnd(12)} ${us.toFixed(2).padStart(11)} ${Math.round(1e6 / us)
      .toLocaleString('en')
      .padStart(24)}\n`,
  );
}
