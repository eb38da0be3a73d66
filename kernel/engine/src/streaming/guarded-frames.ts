import {
  type AnswerFrame,
  type FramePlace,
  type FrameReader,
  type FrameReading,
  isSvcError,
  type ProtocolFrames,
  type SvcError,
} from '@svc/contracts';
import { GrowingText } from '@svc/protocols';
import type { Concealing } from '../calls/opaque-fields.ts';
import { type FieldPattern, GONE_SIGNATURE, type Payload, patternAt, rootPattern } from '../segments/index.ts';
import { putAt, takenFrom, textAt, valueAt } from './frame-place.ts';
import type { GuardChain } from './guard-chain.ts';
import { KnownIds } from './known-ids.ts';
import type { Channel } from './node-stream.ts';

/** Where frames go. `isLast`: it waits for the evidence; `isPart`: it is of a part that was judged whole, such as a tool call. */
export type SendFrame = (frame: AnswerFrame, isLast: boolean, isPart?: boolean) => Promise<void> | undefined;

/**
 * So many pieces of a text are shown to guards one by one. After that, pieces that have arrived already are shown together, up to these
 * numbers of pieces and code units, because a guard scans the text that it holds again with each piece.
 */
const MAX_PIECES = 64;
const MAX_LENGTH = 2_048;

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

/** A text that was taken out of its frame while the guards look at the rest. */
interface TakenOut {
  readonly put: (value: unknown) => void;
  readonly text: string;
  readonly channel: string;
}

/**
 * A streamed answer on its way through the guards, in its own protocol. Frames leave in their order. Texts that flow go through the guards
 * piece by piece; a part such as a tool call waits until it is complete; every other text of a frame is shown as it is.
 */
export class GuardedFrames {
  readonly #reader: FrameReader;
  readonly #frames: ProtocolFrames;
  readonly #chain: GuardChain;
  readonly #conceal: Concealing | null;
  readonly #answer: FieldPattern;
  readonly #send: SendFrame;
  readonly #texts = new Map<string, FlowingText>();
  readonly #waiting = new Map<string, WaitingText>();
  /** How many texts have had a place. */
  readonly #places = new Map<string, number>();
  readonly #ids = new KnownIds();
  /** The frames of parts that are not complete. `isLast`: of the newest one. */
  readonly #parts = new Map<string, { readonly frames: AnswerFrame[]; readonly isLast: boolean }>();
  /** Parts that are: as they came, and as they left. */
  readonly #judged = new Map<string, { readonly came: string; readonly left: unknown }>();
  /** Why the rest of the answer cannot be checked; null: it can. */
  error: SvcError | null = null;

  /** @param answer the place of a whole answer in its table */
  constructor(
    reader: FrameReader,
    frames: ProtocolFrames,
    answer: FieldPattern,
    chain: GuardChain,
    conceal: Concealing | null,
    send: SendFrame,
  ) {
    this.#reader = reader;
    this.#frames = frames;
    this.#answer = answer;
    this.#chain = chain;
    this.#conceal = conceal;
    this.#send = send;
  }

  /** Whether text waits to be shown together with more that has arrived already. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  /** Shows that text to the guards, and sends what they release. */
  async flush(): Promise<void> {
    for (const [channel, text] of [...this.#waiting]) {
      await this.#chain.turn();
      await this.#sendPiece(channel, await this.#show(channel, text));
    }
  }

  /** Takes a frame, and may change it. */
  async take(frame: AnswerFrame, reading: FrameReading): Promise<void> {
    if (this.#isOver) return;
    if (reading.ends.length > 0) await this.#endBefore(frame, reading);
    const { part, isLast } = reading;
    if (part !== null && part.places === undefined) return this.#takePart(frame, part, isLast);
    const pieces = reading.pieces.flatMap(({ channel, place }) => takeOut(frame, place, channel));
    const repeats = reading.repeats.flatMap(({ channel, place }) => this.#repeated(frame, place, channel));
    const signatures = reading.signatures.flatMap(({ place, texts }) =>
      takeOut(frame, place, '').map(({ text }) => ({ place, text, texts })),
    );
    const ids = this.#ids.takeOut(frame, reading.ids ?? []);
    const parts = (part?.places ?? []).map((place) => ({ place, value: valueAt(frame, place) }));
    for (const { place } of parts) putAt(frame, place, null);
    this.#chain.unread(signatures.map(({ place }) => ({ path: place.join('.'), why: 'opaque' })));
    const payload = this.#chain.collect(frame, this.#frames.table);
    const shown = this.#shown(payload);
    const rest = shown instanceof Promise ? await shown : shown;
    if (isSvcError(payload) || this.#isOver) return;
    ids.putBack();
    const flowing = this.#flow(pieces, reading);
    const flowed = flowing instanceof Promise ? await flowing : flowing;
    const says = flowed || reading.isBeginning === true || rest + repeats.length + signatures.length > 0 || pieces.length === 0;
    for (const { place, value } of repeats) putAt(frame, place, value);
    // What is sealed was listed as unread.
    const conceal = payload.skipped.length > 0 ? this.#conceal : null;
    const sent = conceal?.all(frame, rootPattern(this.#frames.table)) ?? frame;
    for (const { place, text, texts } of signatures) putAt(sent, place, this.#signature(text, texts));
    for (const { place, value } of parts) putAt(sent, place, value);
    if (this.#isOver) return;
    if (part !== null) await this.#takePart(sent, part, isLast);
    else if (says) await this.#send(sent, isLast);
  }

  /** What ends with a frame that has no piece of it leaves before the frame. */
  async #endBefore(frame: AnswerFrame, { pieces, ends }: FrameReading): Promise<void> {
    const isHere = new Set(pieces.flatMap(({ channel, place }) => (textAt(frame, place) ? [channel] : [])));
    for (const name of ends) {
      if (this.#parts.has(name)) await this.#completePart(name);
      else if (!isHere.has(name)) await this.#end(name);
    }
  }

  /** The texts of a frame, each in its place as the guards left it. @returns whether there is any */
  #flow(pieces: readonly TakenOut[], reading: FrameReading): boolean | Promise<boolean> {
    const [only, ...more] = pieces;
    if (only === undefined) return false;
    const { ends, part, isLast } = reading;
    // Most frames have one piece, of a text that goes on.
    if (more.length > 0 || part !== null || isLast || ends.length > 0) return this.#flowAll(pieces, reading);
    const put = (released: string): boolean => {
      only.put(released);
      return released !== '';
    };
    const released = this.#push(only.channel, this.#flowing(only.channel), only.text, false);
    return released instanceof Promise ? released.then(put) : put(released);
  }

  async #flowAll(pieces: readonly TakenOut[], { ends, part, isLast }: FrameReading): Promise<boolean> {
    let says = false;
    for (const [at, { put, text, channel }] of pieces.entries()) {
      if (at > 0) await this.#chain.turn();
      const hasEnded = ends.includes(channel);
      const isEnd = hasEnded && !pieces.slice(at + 1).some((later) => later.channel === channel);
      const flowing = this.#flowing(channel);
      const released = (await this.#push(channel, flowing, text, isEnd)) + (isEnd ? await this.#rest(channel) : '');
      // A frame that waits for others leaves behind the text that came with it.
      const isApart = part !== null || (isLast && !hasEnded);
      if (isApart) await this.#sendPiece(channel, released);
      // Some clients keep the last piece alone of a text that they do not know.
      put(isApart ? undefined : released);
      says ||= released !== '';
    }
    return says;
  }

  /** Ends every text and every part that is open, those of one choice before those of the next. */
  async end(): Promise<void> {
    const texts = [...this.#texts].sort(([, one], [, other]) => one.place.choice - other.place.choice);
    for (const [channel, { isOpen }] of texts) if (isOpen) await this.#end(channel);
    for (const name of [...this.#parts.keys()]) await this.#completePart(name);
  }

  get #isOver(): boolean {
    return this.error !== null || this.#chain.violation !== null;
  }

  async #takePart(frame: AnswerFrame, { name, isComplete }: NonNullable<FrameReading['part']>, isLast: boolean): Promise<void> {
    const waiting = this.#parts.get(name) ?? { frames: [], isLast };
    this.#parts.set(name, { frames: waiting.frames, isLast });
    waiting.frames.push(frame);
    if (isComplete) await this.#completePart(name);
  }

  async #completePart(name: string): Promise<void> {
    const { frames, isLast } = this.#parts.get(name) ?? { frames: [], isLast: false };
    this.#parts.delete(name);
    const { path, value } = this.#reader.partOf(frames);
    const came = JSON.stringify(value);
    await this.#shown(this.#chain.collect(value, undefined, path));
    if (this.#isOver) return;
    const left = this.#conceal?.all(value, patternAt(this.#answer, path)) ?? value;
    this.#judged.set(name, { came, left });
    const isChanged = left !== value || JSON.stringify(value) !== came;
    const sent = isChanged ? this.#reader.framesOf({ path, value: left }, frames) : frames;
    for (const [at, each] of sent.entries()) await this.#send(each, isLast && at === sent.length - 1, true);
  }

  /** What left of a text or a part takes the place of what says the same as what came; anything else is shown as a text of its own. */
  #repeated(frame: AnswerFrame, place: FramePlace, name: string): { readonly place: FramePlace; readonly value: unknown }[] {
    const said = valueAt(frame, place);
    const text = this.#texts.get(name);
    const part = this.#judged.get(name);
    // The lengths first: to join a long text for each of many frames would take quadratic time.
    if (typeof said === 'string' && said.length === text?.came.length && said === text.came.toString()) {
      putAt(frame, place, null);
      return [{ place, value: text.released.toString() }];
    }
    if (part === undefined || JSON.stringify(said) !== part.came) return [];
    putAt(frame, place, null);
    return [{ place, value: part.left }];
  }

  /** Shows the guards what is not streamed. @returns how many texts there are */
  #shown(payload: Payload | SvcError): number | Promise<number> {
    if (isSvcError(payload)) {
      this.error = payload;
      return 0;
    }
    this.#chain.unread(payload.skipped);
    return payload.leaves.length === 0 ? 0 : this.#complete(payload);
  }

  async #complete(payload: Payload): Promise<number> {
    const { length } = payload.leaves;
    await this.#chain.turn();
    await this.#chain.complete(payload);
    return length;
  }

  #flowing(channel: string): FlowingText {
    const known = this.#texts.get(channel);
    return known?.isOpen === true ? known : this.#begin(channel);
  }

  #push(channel: string, flowing: FlowingText, text: string, isEnd: boolean): string | Promise<string> {
    flowing.came.push(text);
    flowing.pieces += 1;
    const waiting = this.#waiting.get(channel) ?? { text: '', pieces: 0 };
    waiting.text += text;
    waiting.pieces += 1;
    if (!isEnd && flowing.pieces > MAX_PIECES && waiting.pieces < MAX_PIECES && waiting.text.length < MAX_LENGTH) {
      this.#waiting.set(channel, waiting);
      return '';
    }
    return this.#show(channel, waiting);
  }

  #show(channel: string, { text }: WaitingText): string | Promise<string> {
    this.#waiting.delete(channel);
    const flowing = this.#texts.get(channel);
    if (flowing === undefined) return '';
    const release = (released: string): string => {
      flowing.released.push(released);
      return released;
    };
    const released = this.#chain.push(flowing.place, text);
    return released instanceof Promise ? released.then(release) : release(released);
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
    const { holder } = this.#frames.table;
    return holder !== '' && path.startsWith(`${holder}.`) ? Number.parseInt(path.slice(holder.length + 1), 10) : 0;
  }

  /** What the guards still hold of a text leaves as one more piece of it. */
  async #end(channel: string): Promise<void> {
    await this.#sendPiece(channel, await this.#rest(channel));
  }

  async #sendPiece(channel: string, released: string): Promise<void> {
    if (released === '' || this.#isOver) return;
    const piece = this.#reader.pieceOf(channel, released);
    await this.#showBeside(piece, released);
    if (!this.#isOver) await this.#send(piece, false);
  }

  /** A frame that is made of one that came may have more of it than its text, which was shown already. */
  async #showBeside(piece: AnswerFrame, text: string): Promise<void> {
    const ids = this.#ids.takeOut(piece);
    const payload = this.#chain.collect(piece, this.#frames.table);
    if (!isSvcError(payload)) payload.leaveOut(text);
    await this.#shown(payload);
    ids.putBack();
  }

  /** What the guards still held of a text; from now on nothing comes of it. */
  async #rest(channel: string): Promise<string> {
    const flowing = this.#texts.get(channel);
    if (flowing === undefined || !flowing.isOpen) return '';
    flowing.isOpen = false;
    await this.#chain.turn();
    const waiting = this.#waiting.get(channel);
    const shown = waiting === undefined ? '' : await this.#show(channel, waiting);
    const released = await this.#chain.end(flowing.place);
    flowing.released.push(released);
    return shown + released;
  }

  /** A signature holds for the texts as they came, which guards may have edited for the caller. */
  #signature(signature: string, texts: Readonly<Record<string, string>>): string {
    const signed = Object.entries(texts).flatMap(([field, channel]) => {
      const text = this.#texts.get(channel)?.came.toString();
      return text === undefined ? [] : [[field, text]];
    });
    if (this.#conceal === null) return signature;
    return this.#conceal.one({ signature, ...Object.fromEntries(signed) }) ?? GONE_SIGNATURE;
  }
}

function takeOut(frame: AnswerFrame, place: FramePlace, channel: string): TakenOut[] {
  const text = textAt(frame, place);
  if (text === null || text === '') return [];
  return [{ put: takenFrom(frame, place), text, channel }];
}
