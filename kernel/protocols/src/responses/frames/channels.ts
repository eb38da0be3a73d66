import type { AnswerFrame, FramePlace } from '@svc/contracts';
import { malformed } from '../../upstream-error/index.ts';

/** The number of texts is limited, because each text passes the guards separately. */
const MAX_CHANNELS = 10_000;

/** A streamed text, and the template of a frame with one more piece of it. */
interface Channel {
  readonly path: string;
  readonly template: AnswerFrame;
  /** Where the text is in the template. */
  readonly place: FramePlace;
  isOpen: boolean;
}

/** The streamed texts of an answer. */
export class Channels {
  readonly #channels = new Map<string, Channel>();

  /**
   * Registers a piece.
   * @throws {ProviderError} `malformed` if the text has already ended: a client would append the piece, but guards have seen the text without it
   */
  take(name: string, path: string, template: AnswerFrame, place: FramePlace): void {
    const channel = this.#channels.get(name);
    if (channel === undefined && this.#channels.size >= MAX_CHANNELS) throw malformed('too many open texts');
    if (channel === undefined) this.#channels.set(name, { path, template: plain(template), place, isOpen: true });
    else if (!channel.isOpen) throw malformed('more text after the end of a text');
  }

  /** Ends channels, and returns those that were open. */
  end(names: Iterable<string>): string[] {
    const ended: string[] = [];
    for (const name of names) {
      const channel = this.#channels.get(name);
      if (channel === undefined || !channel.isOpen) continue;
      channel.isOpen = false;
      ended.push(name);
    }
    return ended;
  }

  get names(): Iterable<string> {
    return this.#channels.keys();
  }

  pathOf(name: string): string {
    return this.#channels.get(name)?.path ?? name;
  }

  pieceOf(name: string, text: string): AnswerFrame {
    const channel = this.#channels.get(name);
    if (channel === undefined) throw malformed('a delta for an unknown text');
    return withText(channel.template, channel.place, text) as AnswerFrame;
  }
}

/** Drops the fields that belong to a single piece. */
function plain({ obfuscation: _, ...frame }: AnswerFrame): AnswerFrame {
  return 'logprobs' in frame ? { ...frame, logprobs: [] } : frame;
}

/** A copy of the frame with this text at this place. */
function withText(value: unknown, [step, ...rest]: FramePlace, text: string): unknown {
  if (step === undefined) return text;
  if (Array.isArray(value)) return value.map((member, at) => (at === step ? withText(member, rest, text) : member));
  return { ...(value as object), [step]: withText(Reflect.get(value as object, step), rest, text) };
}
