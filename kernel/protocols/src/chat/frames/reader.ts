import type { AnswerFacts, AnswerFrame, ChatUsage, FramePlace, FrameReader, FrameReading, JsonObject } from '@svc/contracts';
import { chatReason, finishReason } from '../../common/finish-reason.ts';
import { readUsage } from '../../usage/read-usage.ts';
import { isOwn } from '../vocabulary.ts';
import { Channels, chunkOf } from './channels.ts';
import { ChoiceReader, type ReadingChunk } from './choice-reader.ts';
import { assertChunk } from './chunk.ts';
import { framesOf, partOf } from './parts.ts';

/** All parts are checked together at the end of the answer, because some upstreams still send parts after a finish reason. */
const PARTS = 'parts';
/** Differs in every chunk. */
const PADDING = 'obfuscation';

export class ChatReader implements FrameReader {
  readonly #choices = new Map<number, ChoiceReader>();
  readonly #channels = new Channels();
  #usage: ChatUsage | null = null;
  /** Whether the final chunks contained usage. Some upstreams also send running totals earlier. */
  #hasUsage = false;
  /** The finish reason of the first choice, as the upstream sent it. */
  #finish_reason: string | null = null;
  #isEnded = false;

  get facts(): AnswerFacts {
    return { finish_reason: this.#finish_reason, usage: readUsage(this.#usage) };
  }

  /** Whether every choice that has begun has also ended. */
  get isComplete(): boolean {
    return this.#choices.size > 0 && this.#open.length === 0;
  }

  read(frame: AnswerFrame): FrameReading {
    assertChunk(frame);
    const { choices, usage } = frame;
    if (usage != null) this.#usage = usage;
    const read: ReadingChunk = { pieces: [], signatures: [], ends: [], parts: [], isBeginning: false, isAnswer: false };
    // A chunk that arrives after all choices have ended belongs to the end of the answer.
    let isLast = choices.length > 0 || usage != null || this.isComplete;
    for (let at = 0; at < choices.length; at += 1) {
      const said = choices[at] as (typeof choices)[number];
      const { index, delta } = said;
      const choice = this.#choiceAt(index);
      choice.take(delta as JsonObject, ['choices', at, 'delta'], read);
      // Some upstreams send an empty reason with every chunk.
      if (said.finish_reason != null && said.finish_reason !== '') {
        said.finish_reason = chatReason(said.finish_reason, choice.hasCalls);
        if (index === 0 && !this.#isEnded) this.#finish_reason = said.finish_reason;
        choice.finish_reason ??= said.finish_reason;
        read.isBeginning = true;
      }
      isLast &&= choice.finish_reason !== null;
    }
    this.#hasUsage ||= isLast && usage != null;
    return {
      pieces: read.pieces,
      ends: read.ends,
      repeats: [],
      part: read.parts.length === 0 ? null : { name: PARTS, isComplete: false, places: read.parts },
      signatures: read.signatures,
      ids: idsIn(frame),
      isBeginning: read.isBeginning || isLast,
      isAnswer: read.isAnswer,
      isLast,
    };
  }

  /** Adds a finish reason if the upstream sent none. */
  *end(): Generator<AnswerFrame> {
    this.#isEnded = true;
    for (const [index, { finish_reason, hasCalls }] of this.#choices)
      if (finish_reason === null) yield chunkOf(index, {}, finishReason(null, hasCalls));
    if (this.#choices.size > 0 && !this.#hasUsage) yield { ...chunkOf(0, {}), choices: [], usage: this.#usage };
  }

  pieceOf(channel: string, text: string): AnswerFrame {
    return this.#channels.pieceOf(channel, text);
  }

  pathOf(channel: string): string {
    return this.#channels.pathOf(channel);
  }

  partOf = partOf;
  framesOf = framesOf;

  get #open(): ChoiceReader[] {
    return [...this.#choices.values()].filter(({ finish_reason }) => finish_reason === null);
  }

  #choiceAt(index: number): ChoiceReader {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = new ChoiceReader(index, this.#channels);
    this.#choices.set(index, choice);
    return choice;
  }
}

/** Values that many chunks repeat, such as `system_fingerprint`. The gateway overwrites its own fields. */
function idsIn(frame: AnswerFrame): FramePlace[] {
  const places: FramePlace[] = [];
  for (const name in frame)
    if (typeof frame[name] === 'string' && name !== PADDING && !isOwn('answer', name)) places.push([name]);
  return places;
}
