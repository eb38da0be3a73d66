import { type GuardResult, type GuardStream, type Segment, type StreamStep, Turns } from '@svc/contracts';
import { inSlices } from '../work/slices.ts';
import { type Mask, MaskedChannel, type Waits } from './masked-channel.ts';
import type { Search } from './search.ts';

export interface MaskingStreamOptions {
  /** `post`: text passes unchanged and is only checked. */
  readonly mode: 'window' | 'post';
  /** New searches for each channel. */
  searches(): readonly Search[];
  /** See {@link Mask}. Interleaved channels are masked in the order in which they arrive. */
  readonly mask: Mask;
  /**
   * Called for every choice except the first: whether the mask of a finding depends on earlier choices. If it does, the finding is masked when its
   * choice ends, after the earlier ones, so that interleaved and consecutive choices give the same result.
   */
  readonly waits?: Waits;
  /** Called after each step of a `window`. If it returns a code, the stream ends, and nothing of that step is released. */
  stop(): string | null;
  /** See {@link GuardStream.complete}. */
  complete(segments: readonly Segment[]): GuardResult | Promise<GuardResult>;
  /** The verdict over all findings, without edits. */
  finish(): GuardResult;
  /** The run's signal. It aborts a long step. */
  readonly signal: AbortSignal;
  /** From the guard's context: principals take turns on the event loop. */
  readonly principal_id?: string;
}

/** The stream of a masking guard: one {@link MaskedChannel} for each field of each choice. */
export function maskingStream(options: MaskingStreamOptions): GuardStream {
  const { mode, searches, mask, waits, stop, complete, finish, signal, principal_id = '' } = options;
  const channels = new Map<string, MaskedChannel>();
  const turns = (): Turns => new Turns({ signal, principal_id });

  const channelOf = (choice: number, path: string): MaskedChannel => {
    const name = nameOf(choice, path);
    const known = channels.get(name);
    if (known !== undefined) return known;
    const opened = new MaskedChannel(searches(), mask, choice > 0 ? waits : undefined, turns());
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
      return step(
        text,
        inSlices(text, turns, (slice) => channel.push(slice)),
      );
    },
    end({ choice, path }) {
      const ended = channelOf(choice, path).end();
      channels.delete(nameOf(choice, path));
      return step('', ended);
    },
    complete,
    async finish() {
      // The answer was truncated. Text that was held back is checked, but never released.
      for (const channel of channels.values()) await channel.end();
      channels.clear();
      return finish();
    },
  };
}

function nameOf(choice: number, path: string): string {
  return `${choice} ${path}`;
}
