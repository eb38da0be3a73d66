import {
  type ChatChunkChoice,
  type ChatCompletion,
  type ChatMessage,
  isSvcError,
  JsonCounter,
  type SvcError,
} from '@svc/contracts';
import { knownAnswer, knownBlock, LeftOut } from '@svc/protocols';
import { AssembledMessage } from './assembled-message.ts';
import { AssembledThinking } from './assembled-thinking.ts';
import { TEXT_FIELDS, type TextField } from './chunk.ts';
import type { PieceSink } from './frame-writer.ts';
import type { GuardChain, Violation } from './guard-chain.ts';
import { HeldFields } from './held-fields.ts';
import type { Channel } from './node-stream.ts';
import type { ChunkFields, Ending, StreamStrategy } from './stream-strategy.ts';

/** Known fields of the answer that contain none of its text. They are sent with its last frames. */
const HELD_FIELDS = ['service_tier', 'system_fingerprint'] as const;
/**
 * So many pieces of a text are shown to guards one by one. After that, pieces that have arrived already are shown together, up to these
 * numbers of pieces and code units, because a guard scans the text that it holds again with each piece.
 */
const MAX_PIECES = 64;
const MAX_LENGTH = 2_048;

/** Text of one channel that has arrived and was not shown to the guards yet. */
interface WaitingText {
  readonly index: number;
  readonly field: TextField;
  text: string;
  pieces: number;
}

interface OpenChoice {
  /** How many pieces of each text have arrived. */
  readonly channels: Map<TextField, number>;
  /** Tool calls and everything else that is not streamed. */
  readonly held: AssembledMessage;
  readonly thinking: AssembledThinking;
  /** How many blocks of thinking have flowed. */
  blocks: number;
}

/**
 * An answer that goes through egress nodes. Text goes through them as it arrives; everything else is held, joined at the end, and judged as in
 * a whole answer.
 */
export class GuardedStrategy implements StreamStrategy {
  readonly #writer: PieceSink;
  readonly #chain: GuardChain;
  readonly #conceal: <T extends object>(message: T) => T;
  readonly #choices = new Map<number, OpenChoice>();
  readonly #waiting = new Map<string, WaitingText>();
  readonly #counter = new JsonCounter();
  readonly #left_out = new LeftOut();
  /** The newest value of each known field of the answer itself. */
  readonly #fields = new HeldFields();
  #settled: Promise<Violation | null> | null = null;
  #ended = false;

  /** @param conceal gives a message with what leaves in place of values that no guard can read */
  constructor(writer: PieceSink, chain: GuardChain, conceal: <T extends object>(message: T) => T) {
    this.#writer = writer;
    this.#chain = chain;
    this.#conceal = conceal;
  }

  get violation(): Violation | null {
    return this.#chain.violation;
  }

  get left_out(): readonly string[] {
    return this.#left_out.names;
  }

  async take(piece: ChatChunkChoice, fields: ChunkFields): Promise<void> {
    this.note(fields);
    const { index, delta } = piece;
    this.#left_out.note('choice', piece, 'delta');
    this.#left_out.note('message', delta);
    for (const call of delta.tool_calls ?? []) this.#left_out.note('call', call, 'index');
    const choice = this.#choices.get(index) ?? this.#newChoice();
    this.#choices.set(index, choice);
    const { content: _, refusal: __, reasoning_content: ___, reasoning: ____, thinking_blocks, ...rest } = delta;
    choice.held.take(rest);
    for (const field of TEXT_FIELDS) {
      const text = delta[field];
      if (typeof text !== 'string' || text === '') continue;
      const count = (choice.channels.get(field) ?? 0) + 1;
      choice.channels.set(field, count);
      const name = `${index} ${field}`;
      const waiting = this.#waiting.get(name) ?? { index, field, text: '', pieces: 0 };
      this.#waiting.set(name, waiting);
      waiting.text += text;
      waiting.pieces += 1;
      if (count <= MAX_PIECES || waiting.pieces >= MAX_PIECES || waiting.text.length >= MAX_LENGTH)
        await this.#push(name, waiting);
    }
    if (thinking_blocks == null) return;
    for (const block of choice.thinking.take(thinking_blocks)) await this.#sendBlock(index, choice, block);
  }

  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  async flush(): Promise<void> {
    for (const [name, waiting] of [...this.#waiting]) {
      await this.#chain.turn();
      await this.#push(name, waiting);
    }
  }

  /** Unknown fields could carry text past the guards. */
  note(fields: ChunkFields): void {
    this.#left_out.note('answer', fields);
    for (const name of HELD_FIELDS) if (fields[name] != null) this.#fields.hold({ [name]: fields[name] });
  }

  async close(ending: Ending): Promise<Ending | SvcError> {
    await this.flush();
    for (const [index, choice] of [...this.#choices].sort(([a], [b]) => a - b)) {
      for (const block of choice.thinking.end()) await this.#sendBlock(index, choice, block);
      const { channels } = choice;
      for (const field of channels.keys()) {
        await this.#chain.turn();
        await this.#send(index, field, await this.#chain.end({ choice: index, path: field }));
      }
    }
    this.#ended = true;
    const answer = knownAnswer(this.#held(ending));
    const payload = this.#chain.collect(answer);
    if (isSvcError(payload)) return payload;
    if (this.violation === null) await this.#chain.complete(payload);
    // Nodes that judge at the end do so before tool calls are sent.
    if ((await this.settle(true)) === null) await this.#sendHeld(answer);
    return endingOf(answer, ending);
  }

  settle(recorded: boolean): Promise<Violation | null> {
    this.#settled ??= this.#chain.finish(recorded, this.#ended);
    return this.#settled;
  }

  async #push(name: string, { index, field, text }: WaitingText): Promise<void> {
    this.#waiting.delete(name);
    await this.#send(index, field, await this.#chain.push({ choice: index, path: field }, text));
  }

  async #send(index: number, field: TextField, text: string): Promise<void> {
    if (text !== '') await this.#writer.send({ index, delta: { [field]: text } });
  }

  #newChoice(): OpenChoice {
    const held = new AssembledMessage(this.#counter);
    return { channels: new Map(), held, thinking: new AssembledThinking(), blocks: 0 };
  }

  /**
   * A block of thinking leaves when it is complete, before what follows it: clients of the Messages API expect its signature there. Its text is
   * a channel of its own, since its signature holds for all of it and for nothing else.
   */
  async #sendBlock(index: number, choice: OpenChoice, given: unknown): Promise<void> {
    const block = knownBlock(given, this.#left_out);
    if (block === null) return;
    const channel = { choice: index, path: `thinking_blocks.${choice.blocks}.thinking` };
    choice.blocks += 1;
    // What came before it leaves before it.
    await this.flush();
    await this.#chain.turn();
    const [hidden] = this.#conceal({ thinking_blocks: [block] }).thinking_blocks;
    const thinking = block.type === 'thinking' ? await this.#released(block.thinking, channel) : '';
    if (this.violation !== null) return;
    // Listed with what is held, as what no guard reads.
    choice.held.take({ thinking_blocks: [{ ...hidden, thinking: '' }] });
    const sent = block.type === 'thinking' ? { ...hidden, thinking } : hidden;
    await this.#writer.send({ index, delta: { thinking_blocks: [sent] } });
  }

  /** What the guards leave of a text that is shown to them at once. */
  async #released(text: string, channel: Channel): Promise<string> {
    if (text === '') return '';
    const pushed = await this.#chain.push(channel, text);
    return pushed + (await this.#chain.end(channel));
  }

  async #sendHeld(answer: ChatCompletion): Promise<void> {
    for (const { index, message } of answer.choices) {
      const delta = heldDelta(message);
      if (Object.keys(delta).length > 0) await this.#writer.send({ index, delta });
    }
  }

  /** The held parts as a whole answer, so that their paths are the same: a choice stands at its index. */
  #held({ finish_reasons, usage }: Ending): ChatCompletion {
    const length = Math.max(...finish_reasons.keys(), -1) + 1;
    const choices = Array.from({ length }, (_, index) => ({
      index,
      message: this.#conceal((this.#choices.get(index)?.held ?? new AssembledMessage()).message()),
      finish_reason: finish_reasons.get(index) ?? null,
    }));
    const head = { id: 'held', object: 'chat.completion', created: 0, model: 'held' } as const;
    return { ...this.#fields.all(), ...head, choices, ...(usage === null ? {} : { usage }) };
  }
}

/** Blocks of thinking have left before. */
function heldDelta({ role: _, content: __, thinking_blocks: ___, tool_calls, ...rest }: ChatMessage): ChatChunkChoice['delta'] {
  return { ...rest, ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call, index) => ({ ...call, index })) }) };
}

function endingOf(answer: ChatCompletion, { finish_reasons }: Ending): Ending {
  const known = answer.choices.filter(({ index }) => finish_reasons.has(index));
  return {
    finish_reasons: new Map(known.map(({ index, finish_reason }) => [index, finish_reason])),
    usage: answer.usage ?? null,
    fields: Object.fromEntries(HELD_FIELDS.flatMap((name) => (answer[name] == null ? [] : [[name, answer[name]]]))),
  };
}
