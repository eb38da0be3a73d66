import type { Guard, GuardContext, GuardResult, GuardStream } from '@svc/contracts';
import * as assert from '../cases/assert.ts';

/** Result of a streamed answer. `finish`: the guard's result at the end, or after the guard stopped the stream. */
export interface Streamed {
  readonly released: readonly string[];
  readonly stop: { readonly code: string } | null;
  readonly finish: GuardResult;
}

/** A piece of text and its channel. Channels are the `content` of choices. */
export interface Push {
  readonly choice: number;
  readonly text: string;
}

export function opened(guard: Guard, ctx: GuardContext): GuardStream {
  const stream = guard.stream?.open(ctx);
  if (stream === undefined) throw new Error('the guard does not open a stream');
  return stream;
}

/** Pushes everything, ends the channels in order, then finishes. */
export async function streamed(stream: GuardStream, channels: number, pushes: readonly Push[]): Promise<Streamed> {
  const released = Array.from({ length: channels }, () => '');
  const take = (choice: number, release: string): void => {
    assert.ok(release.isWellFormed(), 'a release at a character boundary', 'half a surrogate pair');
    released[choice] = (released[choice] ?? '') + release;
  };
  for (const { choice, text } of pushes) {
    const step = await stream.push({ choice, path: 'content', text });
    take(choice, step.release);
    if (step.stop !== undefined) return { released, stop: step.stop, finish: await stream.finish() };
  }
  for (let choice = 0; choice < channels; choice++) {
    const step = await stream.end({ choice, path: 'content' });
    take(choice, step.release);
    if (step.stop !== undefined) return { released, stop: step.stop, finish: await stream.finish() };
  }
  return { released, stop: null, finish: await stream.finish() };
}
