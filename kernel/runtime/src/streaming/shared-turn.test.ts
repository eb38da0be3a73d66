import type { Guard, GuardStream } from '@svc/contracts';
import { expect, test } from 'vitest';
import { ENV, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { chunkOf, endChunk, lineOf, streaming, textChunk, wordGuard } from './test-parts.ts';

const STEP_MS = 2;
const PIECES = 40;

/** A guard whose every step blocks the event loop for some milliseconds. It records in which iteration each step ran. */
function slowGuard(at: number[], iteration: () => number): Guard {
  const guard = wordGuard('secret', 'sanitize');
  return {
    ...guard,
    stream: {
      capability: 'window',
      open: (ctx) => {
        const stream = guard.stream?.open(ctx) as GuardStream;
        return {
          push: (chunk) => {
            at.push(iteration());
            for (const until = performance.now() + STEP_MS; performance.now() < until; );
            return stream.push(chunk);
          },
          end: (channel) => stream.end(channel),
          complete: (segments) => stream.complete(segments),
          finish: () => stream.finish(),
        };
      },
    },
  };
}

/** Long enough to be passed to the guards on its own. */
const PIECE = 'a'.repeat(2_048);

const ONE_BY_ONE = () => [...Array.from({ length: PIECES }, () => textChunk(PIECE)), endChunk()];
const TOGETHER = () => [
  chunkOf(Array.from({ length: PIECES }, (_, index) => ({ index, delta: { content: 'a' }, finish_reason: 'stop' }))),
];

test.each([
  ['chunks that are there at once', ONE_BY_ONE, 1],
  ['many choices of one chunk', TOGETHER, 1],
  ['several streams side by side', ONE_BY_ONE, 5],
])('%s together do not block the event loop', async (_name, chunks, streams) => {
  let iteration = 0;
  const tick = (): void => {
    iteration += 1;
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  const at: number[] = [];
  const guard = slowGuard(at, () => iteration);
  const call = async () => {
    const route = routeOf({ provider: streaming(chunks).provider, egress: [nodeOf('slow', guard)] });
    const [endpoint] = route.endpoints;
    if (endpoint === undefined) throw new Error('no endpoint');
    return callLive(runOf(route), endpoint, lineOf(), ENV);
  };
  const ends = await Promise.all(Array.from({ length: streams }, call));
  clearImmediate(ticking);
  expect(ends).toEqual(ends.map(() => ({ kind: 'answered' })));
  expect(at).toHaveLength(PIECES * streams);
  const turns = [...Map.groupBy(at, (one) => one).values()];
  const together = Math.max(...turns.map((turn) => turn.length));
  // One turn has its own pieces, and at most one more for each stream.
  expect(together).toBeLessThan(PIECES / 2);
});
