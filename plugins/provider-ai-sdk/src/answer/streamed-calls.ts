import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ChatChunkChoice, ToolCallDelta } from '@svc/sdk/provider';
import { malformed, TextPieces } from '@svc/toolkit/upstream';

type Delta = ChatChunkChoice['delta'];
type ToolPart = Extract<
  LanguageModelV4StreamPart,
  { type: 'tool-input-start' | 'tool-input-delta' | 'tool-input-end' | 'tool-call' }
>;

interface OpenCall {
  /** Zero-based. */
  readonly index: number;
  written: boolean;
}

/** Converts the tool calls of a stream to OpenAI's deltas. Ignores tools that the upstream runs itself. */
export class StreamedCalls {
  readonly #calls = new Map<string, OpenCall>();
  readonly #ofUpstream = new Set<string>();
  readonly #pieces = new TextPieces();

  get any(): boolean {
    return this.#calls.size > 0;
  }

  /** @throws {ProviderError} `malformed` for arguments of a call that never started */
  deltas(part: ToolPart): Delta[] {
    const id = part.type === 'tool-call' ? part.toolCallId : part.id;
    if ('providerExecuted' in part && part.providerExecuted === true) this.#ofUpstream.add(id);
    if (this.#ofUpstream.has(id)) return [];
    switch (part.type) {
      case 'tool-input-start':
        return [this.#begin(id, part.toolName)];
      case 'tool-input-delta':
        return this.#write(id, this.#pieces.push(id, part.delta));
      case 'tool-input-end':
        return this.#write(id, this.#pieces.end(id));
      case 'tool-call': {
        // The whole call follows its pieces, or replaces them.
        const begun = this.#calls.has(id) ? [] : [this.#begin(id, part.toolName)];
        const rest = this.#call(id).written ? '' : part.input.toWellFormed() || '{}';
        return [...begun, ...this.#write(id, rest)];
      }
    }
  }

  #begin(id: string, name: string): Delta {
    const index = this.#calls.size;
    this.#calls.set(id, { index, written: false });
    return callDelta({
      index,
      id: id.toWellFormed(),
      type: 'function',
      function: { name: name.toWellFormed(), arguments: '' },
    });
  }

  #write(id: string, text: string): Delta[] {
    const call = this.#call(id);
    if (text === '') return [];
    call.written = true;
    return [callDelta({ index: call.index, function: { arguments: text } })];
  }

  #call(id: string): OpenCall {
    const call = this.#calls.get(id);
    if (call === undefined) throw malformed('a tool call that was never started');
    return call;
  }
}

function callDelta(call: ToolCallDelta): Delta {
  return { tool_calls: [call] };
}
