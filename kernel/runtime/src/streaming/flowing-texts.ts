import type { FrameReader } from '@svc/contracts';
import { GrowingText } from '@svc/protocols';
import { after } from './after.ts';
import type { GuardChain } from './guard-chain.ts';
import type { Channel } from './node-stream.ts';

/** Pieces of a text that arrived together are passed to the guards together, up to this number of pieces and of UTF-16 code units. */
const MAX_PIECES = 64;
const MAX_LENGTH = 2_048;

/** If a guard may stop the answer, this many pieces of each text pass one by one, so everything before a refused piece is still sent. */
const ALONE = 64;

/** A streamed text: what was received, and what the guards released. */
interface FlowingText {
  /** The channel under which guards see the text. No two open texts share one. */
  readonly place: Channel;
  /** Number of pieces received. */
  pieces: number;
  readonly came: GrowingText;
  readonly released: GrowingText;
  isOpen: boolean;
}

/** Text that has arrived but has not been passed to the guards yet. */
interface WaitingText {
  text: string;
  pieces: number;
}

/** Text that was passed to the guards, and what they released in response. */
export interface ShownText {
  readonly came: string;
  readonly released: string;
}

/** The texts of a streamed answer, which pass through the guards piece by piece. */
export class FlowingTexts {
  readonly #reader: Pick<FrameReader, 'pathOf'>;
  readonly #holder: string;
  readonly #chain: GuardChain;
  readonly #texts = new Map<string, FlowingText>();
  readonly #waiting = new Map<string, WaitingText>();
  /** How many texts there have been with each path. */
  readonly #places = new Map<string, number>();

  /** @param holder path of the list that holds the answers of one completion, such as `choices`; empty: there is one answer */
  constructor(reader: Pick<FrameReader, 'pathOf'>, holder: string, chain: GuardChain) {
    this.#reader = reader;
    this.#holder = holder;
    this.#chain = chain;
  }

  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  /** Channels with waiting text. */
  get waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** The open texts. Those of one choice come before those of the next. */
  get open(): string[] {
    const texts = [...this.#texts].filter(([, { isOpen }]) => isOpen);
    return texts.sort(([, one], [, other]) => one.place.choice - other.place.choice).map(([channel]) => channel);
  }

  /** The received text. Undefined if there is no such text. */
  cameOf(channel: string): GrowingText | undefined {
    return this.#texts.get(channel)?.came;
  }

  releasedOf(channel: string): string {
    return this.#texts.get(channel)?.released.toString() ?? '';
  }

  /** Adds a piece to the waiting text. @returns whether the waiting text should be passed on now */
  push(channel: string, text: string): boolean {
    const known = this.#texts.get(channel);
    const flowing = known?.isOpen === true ? known : this.#begin(channel);
    flowing.came.push(text);
    flowing.pieces += 1;
    const waiting = this.#waiting.get(channel) ?? { text: '', pieces: 0 };
    this.#waiting.set(channel, waiting);
    waiting.text += text;
    waiting.pieces += 1;
    if (this.#chain.mayStop && flowing.pieces <= ALONE) return true;
    return waiting.pieces >= MAX_PIECES || waiting.text.length >= MAX_LENGTH;
  }

  /** Passes the waiting text of a channel to the guards. */
  show(channel: string): ShownText | Promise<ShownText> {
    const flowing = this.#texts.get(channel);
    const came = this.#waiting.get(channel)?.text ?? '';
    this.#waiting.delete(channel);
    if (flowing === undefined || came === '') return { came, released: '' };
    return after(this.#chain.push(flowing.place, came), (released) => {
      flowing.released.push(released);
      return { came, released };
    });
  }

  /** Ends a text. Returns what the guards still held back. */
  async end(channel: string): Promise<string> {
    const flowing = this.#texts.get(channel);
    if (flowing === undefined || !flowing.isOpen) return '';
    flowing.isOpen = false;
    await this.#chain.turn();
    const shown = await this.show(channel);
    const released = await this.#chain.end(flowing.place);
    flowing.released.push(released);
    return shown.released + released;
  }

  /**
   * Texts in unknown fields may share a path. Each gets a channel of its own: otherwise guards would see them as one text, although they are sent as
   * several.
   */
  #begin(channel: string): FlowingText {
    const path = this.#reader.pathOf(channel);
    const before = this.#places.get(path) ?? 0;
    this.#places.set(path, before + 1);
    const flowing: FlowingText = {
      place: { choice: this.#choiceOf(path), path: before === 0 ? path : `${path}.${before}` },
      pieces: 0,
      came: new GrowingText(),
      released: new GrowingText(),
      isOpen: true,
    };
    this.#texts.set(channel, flowing);
    return flowing;
  }

  /** The index of the answer that a path belongs to. */
  #choiceOf(path: string): number {
    const holder = this.#holder;
    return holder !== '' && path.startsWith(`${holder}.`) ? Number.parseInt(path.slice(holder.length + 1), 10) : 0;
  }
}
