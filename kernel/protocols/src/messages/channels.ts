import type { AnswerFrame, FramePlace, FrameReading, JsonObject, JsonValue } from '@svc/contracts';
import { pathOfChannel } from '../common/channel-step.ts';
import { emptied, withText } from '../common/with-text.ts';
import { malformed } from '../upstream-error/index.ts';
import type { DeltaString } from './delta-strings.ts';
import { MESSAGES_FRAME } from './tables.ts';

/** The delta that contained the latest piece, copied because guards may edit the original. Further pieces are written with it. */
interface Channel {
  readonly index: number;
  readonly form: JsonValue;
  readonly place: FramePlace;
}

const MAX_CHANNELS = 10_000;

/** The texts of a streamed message, keyed by their path in a whole message, such as `content.0.text`. */
export class Channels {
  readonly #all = new Map<string, Channel>();

  /** @param index index of the delta's block */
  take(index: number, delta: JsonObject, strings: readonly DeltaString[]): FrameReading['pieces'] {
    const form = strings.length === 0 ? null : emptied(delta);
    return strings.map(({ name, place }) => {
      const channel = `content.${index}.${name}`;
      if (this.#all.size >= MAX_CHANNELS && !this.#all.has(channel)) throw malformed('too many open texts');
      this.#all.set(channel, { index, form, place: place.slice(1) });
      return { channel, place };
    });
  }

  /** Writes a frame with one more piece. */
  pieceOf(channel: string, text: string): AnswerFrame {
    const known = this.#all.get(channel);
    if (known === undefined) throw malformed('a text that was never started');
    const { index, form, place } = known;
    return { type: 'content_block_delta', index, delta: withText(form, place, text) };
  }

  pathOf(channel: string): string {
    return pathOfChannel(channel, MESSAGES_FRAME);
  }
}
