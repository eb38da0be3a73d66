import {
  type AnswerFrame,
  type FramePlace,
  type FrameReader,
  type FrameReading,
  isSvcError,
  type ProtocolFrames,
  type SvcError,
} from '@svc/contracts';
import type { Concealing } from '../answers/opaque-fields.ts';
import { type FieldPattern, patternAt, rootPattern } from '../texts/field-pattern.ts';
import { GONE_SIGNATURE } from '../texts/member-home.ts';
import { Payload } from '../texts/payload.ts';
import { after } from './after.ts';
import { FlowingTexts } from './flowing-texts.ts';
import { putAt, takenFrom, textAt, valueAt } from './frame-place.ts';
import type { GuardChain } from './guard-chain.ts';
import { KnownIds } from './known-ids.ts';

/** Sends a frame. `isLast`: the frame must wait for the evidence. `isPart`: it belongs to a part that was checked as a whole, such as a tool call. */
export type SendFrame = (frame: AnswerFrame, isLast: boolean, isPart?: boolean) => Promise<void> | undefined;

const NOTHING = new Payload();
/** Maximum number of frames that wait for their text to be checked. */
const MAX_PARKED = 1_024;

/** A piece of text that was taken out of its frame while the guards check the rest. */
interface TakenOut {
  readonly put: (value: unknown) => void;
  readonly text: string;
  readonly channel: string;
}

/** A frame without the parts that guards see separately: pieces, repeated texts, signatures, known ids, parts. */
interface TakenFrame {
  readonly frame: AnswerFrame;
  readonly reading: FrameReading;
  readonly pieces: readonly TakenOut[];
  readonly repeats: readonly { readonly place: FramePlace; readonly value: unknown }[];
  readonly signatures: readonly {
    readonly place: FramePlace;
    readonly text: string;
    readonly texts: Readonly<Record<string, string>>;
  }[];
  readonly ids: { putBack(): void };
  readonly parts: readonly { readonly place: FramePlace; readonly value: unknown }[];
}

/**
 * Passes a streamed answer through the guards in its own protocol. Frames are sent in order. Streamed texts pass the guards piece by piece. A part
 * such as a tool call waits until it is complete. Every other text of a frame is checked with the frame.
 */
export class GuardedFrames {
  readonly #reader: FrameReader;
  readonly #frames: ProtocolFrames;
  readonly #chain: GuardChain;
  readonly #conceal: Concealing | null;
  readonly #answer: FieldPattern;
  readonly #send: SendFrame;
  readonly #texts: FlowingTexts;
  /** Frames whose text waits to be checked. */
  readonly #parked: TakenFrame[] = [];
  readonly #ids: KnownIds;
  /** The frames of incomplete parts. `isLast` belongs to the newest frame. */
  readonly #parts = new Map<string, { readonly frames: AnswerFrame[]; readonly isLast: boolean }>();
  /** Complete parts, as received and as sent. */
  readonly #judged = new Map<string, { readonly came: string; readonly left: unknown }>();
  /** The newest frame without its pieces, if it had no other text. Most frames of an answer equal the one before, except for their pieces. */
  #bare = '';
  /** Why the rest of the answer cannot be checked. Null: it can be. */
  error: SvcError | null = null;

  /** @param answer the root pattern of a complete answer */
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
    this.#ids = new KnownIds(rootPattern(frames.table));
    this.#texts = new FlowingTexts(reader, frames.table.holder, chain);
  }

  /** Whether text waits to be checked together with more text that has arrived already. */
  get waits(): boolean {
    return this.#texts.waits;
  }

  /**
   * Passes the waiting text to the guards, and sends what they release. If they neither change nor hold back anything, the frames are sent as
   * received.
   */
  async flush(): Promise<void> {
    const parked = this.#parked.splice(0);
    const rests: [string, string][] = [];
    const says = new Set<TakenFrame>();
    for (const channel of this.#texts.waiting) {
      await this.#chain.turn();
      const { came, released } = await this.#texts.show(channel);
      const pieces = parked.flatMap((out) => piecesOf(out, channel));
      // The text may include text of frames that are sent later.
      const isSame = released === came && pieces.reduce((sum, { text }) => sum + text.length, 0) === came.length;
      let left = released;
      for (const { out, put, text } of pieces) {
        const own = isSame ? text : left;
        put(own);
        if (own !== '') says.add(out);
        left = left.slice(own.length);
      }
      rests.push([channel, left]);
    }
    for (const { frame } of parked.filter((out) => says.has(out))) {
      const sending = this.#isOver ? undefined : this.#send(frame, false);
      // Frames without a wait between them are sent in one write.
      if (sending !== undefined) await sending;
    }
    for (const [channel, left] of rests) await this.#sendPiece(channel, left);
  }

  /** Takes a frame, and may change it. Synchronous if there is nothing to wait for. */
  take(frame: AnswerFrame, reading: FrameReading): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    if (reading.ends.length > 0) return this.#endBefore(frame, reading).then(() => this.#takeNow(frame, reading));
    return this.#takeNow(frame, reading);
  }

  #takeNow(frame: AnswerFrame, reading: FrameReading): Promise<void> | undefined {
    const { part, isLast } = reading;
    if (part !== null && part.places === undefined) return this.#takePart(frame, part, isLast);
    const out: TakenFrame = {
      frame,
      reading,
      pieces: reading.pieces.flatMap(({ channel, place }) => takeOut(frame, place, channel)),
      repeats: reading.repeats.flatMap(({ channel, place }) => this.#repeated(frame, place, channel)),
      signatures: reading.signatures.flatMap(({ place, texts }) =>
        takeOut(frame, place, '').map(({ text }) => ({ place, text, texts })),
      ),
      ids: this.#ids.takeOut(frame, reading.ids ?? []),
      parts: (part?.places ?? []).map((place) => ({ place, value: valueAt(frame, place) })),
    };
    for (const { place } of out.parts) putAt(frame, place, null);
    if (out.signatures.length > 0)
      this.#chain.unread(out.signatures.map(({ place }) => ({ path: place.join('.'), why: 'opaque' })));
    const payload = this.#collect(frame);
    return after(this.#shown(payload), (rest) => {
      if (isSvcError(payload) || this.#isOver) return undefined;
      out.ids.putBack();
      const isPlain =
        rest + payload.skipped.length + out.repeats.length + out.signatures.length === 0 && reading.isBeginning !== true;
      if (isPlain && part === null && !isLast && reading.ends.length === 0 && out.pieces.length > 0) return this.#park(out);
      return out.pieces.length === 0 && !this.waits ? this.#leave(out, payload, rest, false) : this.#flow(out, payload, rest);
    });
  }

  /** Keeps a frame until the waiting text is checked. */
  #park(out: TakenFrame): Promise<void> | undefined {
    this.#parked.push(out);
    let isFull = this.#parked.length >= MAX_PARKED;
    for (const { put, channel, text } of out.pieces) {
      // The protocol's reader may read the frame again when the next one continues it.
      put('');
      isFull = this.#texts.push(channel, text) || isFull;
    }
    return isFull ? this.flush() : undefined;
  }

  /** Sends the rest of a frame. @param rest number of its texts that were checked with the frame @param flowed whether it has streamed text */
  #leave(out: TakenFrame, payload: Payload, rest: number, flowed: boolean): Promise<void> | undefined {
    const { frame, reading, pieces, repeats, signatures, parts } = out;
    const says = flowed || reading.isBeginning === true || rest + repeats.length + signatures.length > 0 || pieces.length === 0;
    for (const { place, value } of repeats) putAt(frame, place, value);
    // Sealed values were listed as unread.
    const conceal = payload.skipped.length > 0 ? this.#conceal : null;
    const sent = conceal?.all(frame, rootPattern(this.#frames.table)) ?? frame;
    for (const { place, text, texts } of signatures) putAt(sent, place, this.#signature(text, texts));
    for (const { place, value } of parts) putAt(sent, place, value);
    if (this.#isOver) return undefined;
    if (reading.part !== null) return this.#takePart(sent, reading.part, reading.isLast);
    return says ? this.#send(sent, reading.isLast) : undefined;
  }

  /** The texts of a frame, except the pieces that were taken out. */
  #collect(frame: AnswerFrame): Payload | SvcError {
    const bare = JSON.stringify(frame);
    if (bare === this.#bare) return NOTHING;
    const payload = this.#chain.collect(frame, this.#frames.table);
    if (!isSvcError(payload) && payload.skipped.length + judgedIn(payload) === 0) this.#bare = bare;
    return payload;
  }

  /** Ends the channels and parts that a frame ends, unless the frame also contains a piece of them. Their texts are sent before the frame. */
  async #endBefore(frame: AnswerFrame, { pieces, ends }: FrameReading): Promise<void> {
    const isHere = new Set(pieces.flatMap(({ channel, place }) => (textAt(frame, place) ? [channel] : [])));
    for (const name of ends) {
      if (this.#parts.has(name)) await this.#completePart(name);
      else if (!isHere.has(name)) await this.#end(name);
    }
  }

  /** Handles a frame that cannot wait for more text, because it has other content, belongs to a part, or is one of the last. */
  async #flow(out: TakenFrame, payload: Payload, rest: number): Promise<void> {
    const { pieces, reading } = out;
    const { ends, part, isLast } = reading;
    let says = false;
    if ((part === null && !isLast) || ends.length > 0) await this.flush();
    for (const [at, { put, text, channel }] of pieces.entries()) {
      if (at > 0) await this.#chain.turn();
      const isFull = this.#texts.push(channel, text);
      const isEnd = ends.includes(channel) && !pieces.slice(at + 1).some((later) => later.channel === channel);
      // The frame is held back, so its text is sent first, in a separate frame.
      if (part !== null || (isLast && !ends.includes(channel))) {
        // Some clients use only the last piece of an unknown field, so the text is removed from the frame.
        put(undefined);
        if (isEnd) await this.#end(channel);
        else if (isFull) await this.flush();
        continue;
      }
      const released = isEnd ? await this.#texts.end(channel) : (await this.#texts.show(channel)).released;
      put(released);
      says ||= released !== '';
    }
    await this.#leave(out, payload, rest, says);
  }

  /** Ends all open texts and parts. Those of one choice end before those of the next. */
  async end(): Promise<void> {
    await this.flush();
    for (const channel of this.#texts.open) await this.#end(channel);
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
    await this.flush();
    const { frames, isLast } = this.#parts.get(name) ?? { frames: [], isLast: false };
    this.#parts.delete(name);
    const { path, value } = this.#reader.partOf(frames);
    const came = JSON.stringify(value);
    await this.#shown(this.#chain.collect(value, undefined, path, frames));
    if (this.#isOver) return;
    const left = this.#conceal?.all(value, patternAt(this.#answer, path)) ?? value;
    this.#judged.set(name, { came, left });
    const isChanged = left !== value || JSON.stringify(value) !== came;
    const sent = isChanged ? this.#reader.framesOf({ path, value: left }, frames) : frames;
    for (const [at, each] of sent.entries()) await this.#send(each, isLast && at === sent.length - 1, true);
  }

  /** If a frame repeats a text or part as received, the repetition is replaced by the sent form. Any other text is checked on its own. */
  #repeated(frame: AnswerFrame, place: FramePlace, name: string): { readonly place: FramePlace; readonly value: unknown }[] {
    const said = valueAt(frame, place);
    const came = this.#texts.cameOf(name);
    const part = this.#judged.get(name);
    // The lengths are compared first, because joining a long text for each of many frames would take quadratic time.
    if (typeof said === 'string' && said.length === came?.length && said === came.toString()) {
      putAt(frame, place, null);
      return [{ place, value: this.#texts.releasedOf(name) }];
    }
    if (part === undefined || JSON.stringify(said) !== part.came) return [];
    putAt(frame, place, null);
    return [{ place, value: part.left }];
  }

  /** Passes texts and tools that are not streamed to the guards. @returns their number */
  #shown(payload: Payload | SvcError): number | Promise<number> {
    if (isSvcError(payload)) {
      this.error = payload;
      return 0;
    }
    if (payload.skipped.length > 0) this.#chain.unread(payload.skipped);
    const count = judgedIn(payload);
    return count === 0 ? 0 : this.#complete(payload, count);
  }

  async #complete(payload: Payload, count: number): Promise<number> {
    await this.#chain.turn();
    await this.#chain.complete(payload);
    return count;
  }

  /** Ends a channel. Text that the guards held back is sent as one more piece. */
  async #end(channel: string): Promise<void> {
    await this.flush();
    await this.#sendPiece(channel, await this.#texts.end(channel));
  }

  async #sendPiece(channel: string, released: string): Promise<void> {
    if (released === '' || this.#isOver) return;
    const piece = this.#reader.pieceOf(channel, released);
    await this.#showBeside(piece, released);
    if (!this.#isOver) await this.#send(piece, false);
  }

  /** A frame that is made from a received one may have more text than the piece. That text was not checked yet. */
  async #showBeside(piece: AnswerFrame, text: string): Promise<void> {
    const ids = this.#ids.takeOut(piece);
    const payload = this.#chain.collect(piece, this.#frames.table);
    if (!isSvcError(payload)) payload.leaveOut(text);
    await this.#shown(payload);
    ids.putBack();
  }

  /** The handle of a signature includes the signed texts as received, because guards may have edited them for the caller. */
  #signature(signature: string, texts: Readonly<Record<string, string>>): string {
    const signed = Object.entries(texts).flatMap(([field, channel]) => {
      const text = this.#texts.cameOf(channel)?.toString();
      return text === undefined ? [] : [[field, text]];
    });
    if (this.#conceal === null) return signature;
    return this.#conceal.one({ signature, ...Object.fromEntries(signed) }) ?? GONE_SIGNATURE;
  }
}

function piecesOf(out: TakenFrame, channel: string): (TakenOut & { readonly out: TakenFrame })[] {
  return out.pieces.filter((piece) => piece.channel === channel).map((piece) => ({ ...piece, out }));
}

function takeOut(frame: AnswerFrame, place: FramePlace, channel: string): TakenOut[] {
  const text = textAt(frame, place);
  if (text === null || text === '') return [];
  return [{ put: takenFrom(frame, place), text, channel }];
}

/** The number of texts and tools that guards judge. */
function judgedIn({ leaves, tools }: Payload): number {
  const { calls, listed } = tools();
  return leaves.length + calls.length + listed.length;
}
