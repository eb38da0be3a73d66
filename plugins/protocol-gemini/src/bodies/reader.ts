import type { JsonObject } from '@svc/sdk';
import {
  type AnswerFacts,
  type AnswerFrame,
  type FramePlace,
  type FrameReader,
  type FrameReading,
  finishReason,
  malformed,
  objectsIn,
  pathOfChannel,
  readUsage,
} from '@svc/sdk/protocol';
import { readAnswer } from './answer.ts';
import { hasCalls } from './facts.ts';
import { continues, flowingIn, partsIn } from './parts.ts';
import { ANSWER } from './tables.ts';

/** The answer of one candidate so far. */
interface CandidateState {
  /** Index that the last part has in a whole answer. */
  at: number;
  newest: JsonObject | undefined;
  open: readonly string[];
  isFinished: boolean;
}

/** The data needed to write one more piece of a text. */
interface Channel {
  readonly index: unknown;
  readonly name: string;
  readonly thought: unknown;
}

type Read = { -readonly [Name in 'pieces' | 'ends']: FrameReading[Name][number][] };

/** Reads the frames of a streamed answer. Parts other than text always arrive whole. */
export class GeminiReader implements FrameReader {
  isComplete = false;
  #finish_reason: string | null = null;
  #usage: unknown = null;
  #calls = false;
  readonly #candidates = new Map<number, CandidateState>();
  readonly #channels = new Map<string, Channel>();

  get facts(): AnswerFacts {
    return { finish_reason: this.#finish_reason, usage: readUsage(this.#usage) };
  }

  read(frame: AnswerFrame): FrameReading {
    // A frame may contain only usage.
    const { candidates, promptFeedback, usageMetadata } = readAnswer({ ...frame, candidates: frame.candidates ?? [] });
    this.#usage = usageMetadata ?? this.#usage;
    const read: Read = { pieces: [], ends: [] };
    let hasMore = false;
    for (const [at, candidate] of objectsIn(candidates).entries()) hasMore = this.#take(candidate, at, read) || hasMore;
    if (Object(promptFeedback).blockReason != null) {
      this.#finish_reason = 'content_filter';
      this.isComplete = true;
    }
    const all = [...this.#candidates.values()];
    this.isComplete ||= all.length > 0 && all.every(({ isFinished }) => isFinished);
    return { ...read, repeats: [], part: null, signatures: [], isBeginning: hasMore, isLast: this.isComplete };
  }

  pieceOf(channel: string, text: string): AnswerFrame {
    const known = this.#channels.get(channel);
    if (known === undefined) throw malformed('a text that was never started');
    const part = { [known.name]: text, ...(known.thought === undefined ? {} : { thought: known.thought }) };
    return { candidates: [{ content: { parts: [part], role: 'model' }, index: known.index }] };
  }

  pathOf(channel: string): string {
    return pathOfChannel(channel, ANSWER);
  }

  partOf(): never {
    throw malformed('a delta for a part that was already complete');
  }

  framesOf(): never {
    throw malformed('a delta for a part that was already complete');
  }

  /** @returns whether the candidate has anything other than streamed text */
  #take(candidate: JsonObject, position: number, read: Read): boolean {
    const index = typeof candidate.index === 'number' ? candidate.index : 0;
    const coming = this.#candidates.get(index) ?? { at: -1, newest: undefined, open: [], isFinished: false };
    this.#candidates.set(index, coming);
    this.#calls ||= hasCalls(candidate);
    let hasMore = false;
    for (const [at, part] of partsIn(candidate.content).entries()) {
      const place = ['candidates', position, 'content', 'parts', at];
      hasMore = this.#part(part, { place, index }, coming, read) || hasMore;
    }
    if (candidate.finishReason != null) {
      coming.isFinished = true;
      this.#end(coming, read);
      coming.newest = undefined;
      if (index === 0) this.#finish_reason = finishReason(candidate.finishReason, this.#calls);
      hasMore = true;
    }
    return hasMore;
  }

  #part(part: JsonObject, where: { place: FramePlace; index: number }, coming: CandidateState, read: Read): boolean {
    if (!continues(coming.newest, part)) {
      this.#end(coming, read);
      coming.at += 1;
    }
    coming.newest = part;
    const names = flowingIn(part);
    const base = `candidates.${where.index}.content.parts.${coming.at}`;
    for (const name of names ?? []) {
      const channel = `${base}.${name}`;
      this.#channels.set(channel, { index: where.index, name, thought: part.thought });
      read.pieces.push({ channel, place: [...where.place, name] });
    }
    coming.open = (names ?? []).map((name) => `${base}.${name}`);
    return names === null || 'thoughtSignature' in part;
  }

  #end(coming: CandidateState, { ends }: Read): void {
    ends.push(...coming.open);
    coming.open = [];
  }
}
