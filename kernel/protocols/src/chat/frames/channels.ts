import type { AnswerFrame, FramePlace, JsonObject, JsonValue } from '@svc/contracts';
import { pathOfChannel } from '../../common/channel-step.ts';
import { emptied, withText } from '../../common/with-text.ts';
import { malformed } from '../../upstream-error/index.ts';
import { CHAT_FRAME } from './table.ts';

/** The data needed to write one more piece of a text. */
interface Channel {
  readonly index: number;
  /** The member of a delta that contains the text. `form`: a copy of its latest version, because guards may edit the original. */
  readonly field: string;
  form: JsonValue;
  /** Where the text is in that member. */
  place: FramePlace;
}

const MAX_CHANNELS = 10_000;

/** The texts of a streamed answer, keyed by their path in a whole answer, such as `choices.0.message.content`. */
export class Channels {
  readonly #all = new Map<string, Channel>();
  /** The latest member that contains several texts, and the form made of it. */
  #newest: { readonly member: JsonValue; readonly form: JsonValue } | null = null;

  /** @throws {ProviderError} `malformed` if too many texts are open */
  take(channel: string, index: number, field: string, member: JsonValue, place: FramePlace): void {
    const form = this.#formOf(member);
    const known = this.#all.get(channel);
    if (known !== undefined) {
      known.form = form;
      known.place = place;
      return;
    }
    if (this.#all.size >= MAX_CHANNELS) throw malformed('too many open texts');
    this.#all.set(channel, { index, field, form, place });
  }

  #formOf(member: JsonValue): JsonValue {
    if (typeof member === 'string') return '';
    if (this.#newest?.member !== member) this.#newest = { member, form: emptied(member) };
    return this.#newest.form;
  }

  /** Writes a chunk with one more piece. */
  pieceOf(channel: string, text: string): AnswerFrame {
    const known = this.#all.get(channel);
    if (known === undefined) throw malformed('a text that was never started');
    return chunkOf(known.index, { [known.field]: withText(known.form, known.place, text) });
  }

  pathOf(channel: string): string {
    return pathOfChannel(channel, CHAT_FRAME);
  }
}

/** A chunk of one choice. The head is filled in later. */
export function chunkOf(index: number, delta: JsonObject, finish_reason: string | null = null): AnswerFrame {
  return { id: '', object: 'chat.completion.chunk', created: 0, model: '', choices: [{ index, delta, finish_reason }] };
}
