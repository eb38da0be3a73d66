import type { GuardResult, GuardStream, Segment, StreamStep } from '@svc/kernel/contracts';
import { type Mask, MaskedChannel } from './masked-channel.ts';
import type { Search } from './search.ts';

export interface MaskingStreamOptions {
  /** What is searched for, begun anew for each channel. */
  searches(): readonly Search[];
  /** See {@link Mask}. Channels that come side by side are asked about side by side. */
  readonly mask: Mask;
  /** Asked after each step: a code ends the stream, and nothing of that step leaves. */
  stop(): string | null;
  /** As {@link GuardStream.complete}. */
  complete(segments: readonly Segment[]): GuardResult | Promise<GuardResult>;
  /** The verdict over all that was asked about, with no edits. */
  finish(): GuardResult;
}

/** A `window` stream of a guard that masks: one {@link MaskedChannel} for each field of each choice. */
export function maskingStream({ searches, mask, stop, complete, finish }: MaskingStreamOptions): GuardStream {
  const channels = new Map<string, MaskedChannel>();

  const channelOf = (name: string): MaskedChannel => {
    const known = channels.get(name);
    if (known !== undefined) return known;
    const opened = new MaskedChannel(searches(), mask);
    channels.set(name, opened);
    return opened;
  };
  const stepOf = (release: string): StreamStep => {
    const code = stop();
    return code === null ? { release } : { release: '', stop: { code } };
  };
  const step = (released: string | Promise<string>): StreamStep | Promise<StreamStep> =>
    released instanceof Promise ? released.then(stepOf) : stepOf(released);

  return {
    push: ({ choice, path, text }) => step(channelOf(nameOf(choice, path)).push(text)),
    end({ choice, path }) {
      const name = nameOf(choice, path);
      const ended = channelOf(name).end();
      channels.delete(name);
      return step(ended);
    },
    complete,
    async finish() {
      // An answer that was cut short: what was held back is judged, and never leaves.
      for (const channel of channels.values()) await channel.end();
      channels.clear();
      return finish();
    },
  };
}

function nameOf(choice: number, path: string): string {
  return `${choice} ${path}`;
}
