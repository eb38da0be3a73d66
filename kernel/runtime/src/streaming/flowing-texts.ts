import type { FrameReader } from '@svc/contracts';
import { GrowingText } from '@svc/protocols';
import { after } from './after.ts';
import type { GuardChain } from './guard-chain.ts';
import type { Channel } from './node-stream.ts';

/** Pieces of a text that have arrived together are shown together, up to these numbers of pieces and of UTF-16 code units. */
const MAX_PIECES = 64;
const MAX_LENGTH = 2_048;

/** So many pieces of a text are shown one by one where a guard may stop the answer: what comes before the piece that it refuses still leaves. */
const ALONE = 64;

/** A text that flows: what came of it, and what the guards released. */
interface FlowingText {
  /** Where guards see it: no two texts that are open have one place. */
  readonly place: Channel;
  /** How many pieces of it came. */
  pieces: number;
  readonly came: GrowingText;
  readonly released: GrowingText;
  isOpen: boolean;
}

/** Text that has arrived and was not shown to the guards yet. */
interface WaitingText {
  text: string;
  pieces: number;
}

/** What was shown to the guards of a text, and what they released then. */
export interface ShownText {
  readonly came: string;
  readonly released: string;
}

/** The texts of a streamed answer on their way through the guards, piece by piece. */
export class FlowingTexts {
  readonly #reader: Pick<FrameReader, 'pathOf'>;
  readonly #holder: string;
  readonly #chain: GuardChain;
  readonly #texts = new Map<string, FlowingText>();
  readonly #waiting = new Map<string, WaitingText>();
  /** How many texts have had a place. */
  readonly #places = new Map<string, number>();

  /** @param holder what holds the answers of one completion, such as `choices`; empty: there is one answer */
  constructor(reader: Pick<FrameReader, 'pathOf'>, holder: string, chain: GuardChain) {
    this.#reader = reader;
    this.#holder = holder;
    this.#chain = chain;
  }

  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  /** Names of the texts of which some waits to be shown. */
  get waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Those that have not ended, the texts of one choice before those of the next. */
  get open(): string[] {
    const texts = [...this.#texts].filter(([, { isOpen }]) => isOpen);
    return texts.sort(([, one], [, other]) => one.place.choice - other.place.choice).map(([channel]) => channel);
  }

  /** As it came; undefined: there is no such text. */
  cameOf(channel: string): GrowingText | undefined {
    return this.#texts.get(channel)?.came;
  }

  releasedOf(channel: string): string {
    return this.#texts.get(channel)?.released.toString() ?? '';
  }

  /** Takes a piece, which waits to be shown. @returns whether no more should wait */
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

  /** Shows the guards what waits of a text. */
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

  /** What the guards still held of a text; from now on nothing comes of it. */
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

  /** Names that nobody knows have one path: what guards saw as one text would leave as several. */
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

  /** The index of the answer, where there may be several. */
  #choiceOf(path: string): number {
    const holder = this.#holder;
    return holder !== '' && path.startsWith(`${holder}.`) ? Number.parseInt(path.slice(holder.length + 1), 10) : 0;
  }
}
