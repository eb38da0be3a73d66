import { setImmediate } from 'node:timers/promises';
import type { GuardResult, GuardStream, Segment, StreamStep } from '@svc/kernel/contracts';
import { type Mask, MaskedChannel, type Waits } from './masked-channel.ts';
import type { Search } from './search.ts';

/** Code units that are searched at once; between the slices of a larger piece others get their turn. */
const SLICE = 16_384;

export interface MaskingStreamOptions {
  /** `post`: all text flows unchanged, and is only looked at. */
  readonly mode: 'window' | 'post';
  /** What is searched for, begun anew for each channel. */
  searches(): readonly Search[];
  /** See {@link Mask}. Channels that come side by side are asked about side by side. */
  readonly mask: Mask;
  /**
   * Asked in every choice but the first: whether the mask of a finding depends on what stands in the choices before. Then it is masked
   * when its choice has ended, which is after those, so that choices side by side become what they become one after the other.
   */
  readonly waits?: Waits;
  /** Asked after each step of a `window`: a code ends the stream, and nothing of that step leaves. */
  stop(): string | null;
  /** As {@link GuardStream.complete}. */
  complete(segments: readonly Segment[]): GuardResult | Promise<GuardResult>;
  /** The verdict over all that was asked about, with no edits. */
  finish(): GuardResult;
  /** The run's: ends a step that takes long. */
  readonly signal: AbortSignal;
}

/** The stream of a guard that masks: one {@link MaskedChannel} for each field of each choice. */
export function maskingStream(options: MaskingStreamOptions): GuardStream {
  const { mode, searches, mask, waits, stop, complete, finish, signal } = options;
  const channels = new Map<string, MaskedChannel>();

  const channelOf = (choice: number, path: string): MaskedChannel => {
    const name = nameOf(choice, path);
    const known = channels.get(name);
    if (known !== undefined) return known;
    const opened = new MaskedChannel(searches(), mask, choice > 0 ? waits : undefined);
    channels.set(name, opened);
    return opened;
  };
  const stepOf = (came: string, masked: string): StreamStep => {
    if (mode === 'post') return { release: came };
    const code = stop();
    return code === null ? { release: masked } : { release: '', stop: { code } };
  };
  const step = (came: string, masked: string | Promise<string>): StreamStep | Promise<StreamStep> =>
    masked instanceof Promise ? masked.then((later) => stepOf(came, later)) : stepOf(came, masked);

  return {
    push({ choice, path, text }) {
      const channel = channelOf(choice, path);
      return step(text, text.length <= SLICE ? channel.push(text) : pushSlices(channel, text, signal));
    },
    end({ choice, path }) {
      const ended = channelOf(choice, path).end();
      channels.delete(nameOf(choice, path));
      return step('', ended);
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

/** For any slices the releases together are the same. */
async function pushSlices(channel: MaskedChannel, text: string, signal: AbortSignal): Promise<string> {
  let released = '';
  for (let at = 0; at < text.length; ) {
    // Not between the halves of a surrogate pair.
    const end = at + SLICE + ((text.codePointAt(at + SLICE - 1) ?? 0) > 0xffff ? 1 : 0);
    released += await channel.push(text.slice(at, end));
    at = end;
    await setImmediate();
    signal.throwIfAborted();
  }
  return released;
}

function nameOf(choice: number, path: string): string {
  return `${choice} ${path}`;
}
