import type { Guard, GuardStream } from '@svc/contracts';
import { ENV, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { lineOf, streaming } from './test-parts.ts';

type Chunks = Parameters<typeof streaming>[0];

/** A live call of an upstream that sends these chunks, through these guards. */
export async function call(chunks: Chunks, guards: readonly Guard[] = [], line = lineOf()) {
  const upstream = streaming(chunks);
  const egress = guards.map((guard, i) => nodeOf(`node-${i}`, guard));
  const route = routeOf({ provider: upstream.provider, egress });
  const run = runOf(route);
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  const end = await callLive(run, endpoint, line, ENV);
  return { end, run, line, upstream };
}

/** The guard, with changes to its streams. */
export function streamed(guard: Guard, change: () => Partial<GuardStream>): Guard {
  const { stream } = guard;
  if (stream === undefined) throw new Error('it does not stream');
  return { ...guard, stream: { ...stream, open: (ctx) => ({ ...stream.open(ctx), ...change() }) } };
}
