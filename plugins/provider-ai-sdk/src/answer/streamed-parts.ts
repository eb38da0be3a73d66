import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ChatCompletionChunk } from '@svc/sdk';
import type { ChatChunkChoice } from '@svc/sdk/provider';
import { type Identity, TextPieces } from '@svc/toolkit/upstream';
import { streamFinishReasonOf } from './finish-reason.ts';
import { identified } from './identity.ts';
import { StreamedCalls } from './streamed-calls.ts';
import { usageOf } from './usage.ts';

type Delta = ChatChunkChoice['delta'];
type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** OpenAI's field for each kind of text. Servers of open models use `reasoning_content`. */
const FIELDS = { text: 'content', reasoning: 'reasoning_content' } as const;

/** Converts the parts of a stream to OpenAI's chunks. */
export class StreamedParts {
  #identity: Identity;
  #begun = false;
  readonly #calls = new StreamedCalls();
  readonly #pieces = new TextPieces();

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /**
   * The chunks for the next part. None for parts that were not requested, such as files and sources.
   * @throws the error that the upstream reports, or a {@link ProviderError} if the stream broke off
   */
  chunks(part: LanguageModelV4StreamPart): ChatCompletionChunk[] {
    switch (part.type) {
      case 'response-metadata':
        if (!this.#begun) this.#identity = identified(part, this.#identity);
        return [];
      case 'text-delta':
        return this.#say('text', this.#pieces.push(`text ${part.id}`, part.delta));
      case 'text-end':
        return this.#say('text', this.#pieces.end(`text ${part.id}`));
      case 'reasoning-delta':
        return this.#say('reasoning', this.#pieces.push(`reasoning ${part.id}`, part.delta));
      case 'reasoning-end':
        return this.#say('reasoning', this.#pieces.end(`reasoning ${part.id}`));
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-call':
        return this.#calls.deltas(part).map((delta) => this.#chunk(delta));
      case 'finish':
        return [this.#last(part)];
      case 'error':
        throw part.error;
      default:
        return [];
    }
  }

  #say(kind: keyof typeof FIELDS, text: string): ChatCompletionChunk[] {
    return text === '' ? [] : [this.#chunk({ [FIELDS[kind]]: text })];
  }

  #chunk(delta: Delta, finish_reason: string | null = null): ChatCompletionChunk {
    const role = this.#begun ? {} : { role: 'assistant' };
    this.#begun = true;
    return {
      ...this.#identity,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason }],
    };
  }

  #last({ finishReason, usage: counted }: FinishPart): ChatCompletionChunk {
    const usage = usageOf(counted);
    return { ...this.#chunk({}, streamFinishReasonOf(finishReason, this.#calls.any)), ...(usage !== undefined && { usage }) };
  }
}
