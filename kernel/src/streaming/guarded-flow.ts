import type { ChatChunkChoice, ChatCompletion, ChatMessage, SvcError } from '../contracts/index.ts';
import { isSvcError, JsonCounter } from '../contracts/index.ts';
import { knownAnswer } from '../segments/index.ts';
import { AssembledMessage } from './assembled-message.ts';
import { TEXT_FIELDS, type TextField } from './chunk.ts';
import type { Ending, Flow } from './flow.ts';
import type { PieceSink } from './frame-writer.ts';
import type { GuardChain, Violation } from './guard-chain.ts';
import { turnOfStream } from './shared-turn.ts';

interface OpenChoice {
  readonly channels: Set<TextField>;
  /** Tool calls and whatever else does not flow. */
  readonly held: AssembledMessage;
}

/**
 * An answer on its way through egress nodes. Text goes through them as it comes; everything else is held, put together when all has
 * come, and judged as in a whole answer.
 */
export class GuardedFlow implements Flow {
  readonly #writer: PieceSink;
  readonly #chain: GuardChain;
  readonly #choices = new Map<number, OpenChoice>();
  readonly #counter = new JsonCounter();
  #settled: Promise<Violation | null> | null = null;
  #ended = false;

  constructor(writer: PieceSink, chain: GuardChain) {
    this.#writer = writer;
    this.#chain = chain;
  }

  get violation(): Violation | null {
    return this.#chain.violation;
  }

  async take({ index, delta }: ChatChunkChoice): Promise<void> {
    const choice = this.#choices.get(index) ?? { channels: new Set(), held: new AssembledMessage(this.#counter) };
    this.#choices.set(index, choice);
    const { content: _, refusal: __, reasoning_content: ___, ...rest } = delta;
    choice.held.take(rest);
    for (const field of TEXT_FIELDS) {
      const text = delta[field];
      if (typeof text !== 'string' || text === '') continue;
      choice.channels.add(field);
      await this.#send(index, field, await this.#chain.push({ choice: index, path: field }, text));
    }
  }

  /** Fields that we do not know could carry text past the guards. */
  note(): void {}

  async close(ending: Ending): Promise<Ending | SvcError> {
    for (const [index, { channels }] of [...this.#choices].sort(([a], [b]) => a - b)) {
      for (const field of channels) {
        await turnOfStream();
        await this.#send(index, field, await this.#chain.end({ choice: index, path: field }));
      }
    }
    this.#ended = true;
    const answer = knownAnswer(this.#held(ending));
    const payload = this.#chain.collect(answer);
    if (isSvcError(payload)) return payload;
    if (this.violation === null) await this.#chain.complete(payload);
    // Whoever judges at the end does so before tool calls leave.
    if ((await this.settle(true)) === null) await this.#sendHeld(answer);
    return endingOf(answer, ending);
  }

  settle(recorded: boolean): Promise<Violation | null> {
    this.#settled ??= this.#chain.finish(recorded, this.#ended);
    return this.#settled;
  }

  async #send(index: number, field: TextField, text: string): Promise<void> {
    if (text !== '') await this.#writer.send({ index, delta: { [field]: text } });
  }

  async #sendHeld(answer: ChatCompletion): Promise<void> {
    for (const { index, message } of answer.choices) {
      const delta = heldDelta(message);
      if (Object.keys(delta).length > 0) await this.#writer.send({ index, delta });
    }
  }

  /** What was held, in the shape of a whole answer, so that paths are those of one: a choice stands at its index. */
  #held({ finish_reasons, usage }: Ending): ChatCompletion {
    const length = Math.max(...finish_reasons.keys(), -1) + 1;
    const choices = Array.from({ length }, (_, index) => ({
      index,
      message: (this.#choices.get(index)?.held ?? new AssembledMessage()).message(),
      finish_reason: finish_reasons.get(index) ?? null,
    }));
    return { id: 'held', object: 'chat.completion', created: 0, model: 'held', choices, ...(usage === null ? {} : { usage }) };
  }
}

function heldDelta({ role: _, content: __, tool_calls, ...rest }: ChatMessage): ChatChunkChoice['delta'] {
  return { ...rest, ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call, index) => ({ ...call, index })) }) };
}

function endingOf(answer: ChatCompletion, { finish_reasons }: Ending): Ending {
  const known = answer.choices.filter(({ index }) => finish_reasons.has(index));
  return {
    finish_reasons: new Map(known.map(({ index, finish_reason }) => [index, finish_reason])),
    usage: answer.usage ?? null,
  };
}
