import { type ChatMessage, isObject, type JsonObject } from '@svc/sdk';
import type { Lost } from '@svc/sdk/protocol';
import type { ToolCall, ToolCallDelta } from '@svc/sdk/provider';
import { isText } from '../bodies/parts.ts';
import { isSignature, signedCall } from './signatures.ts';

interface Delta {
  content?: string;
  reasoning_content?: string;
  thinking_blocks?: JsonObject[];
  tool_calls?: ToolCallDelta[];
}

/** Converts the parts of a model's turn to deltas of the chat format, or to one message. */
export class MessageToChat {
  readonly #lost: Lost;
  readonly #place: string;
  readonly #idOf: (call: number) => string;
  /** Thinking for which no signature has arrived yet. */
  #unsigned = '';
  #thought = '';
  #said: string | null = null;
  readonly #blocks: JsonObject[] = [];
  readonly #calls: ToolCall[] = [];

  /**
   * @param place path of the parts, for reports of lost fields
   * @param idOf makes an id for a call without one
   */
  constructor(lost: Lost, place: string, idOf: (call: number) => string) {
    this.#lost = lost;
    this.#place = place;
    this.#idOf = idOf;
  }

  get calls(): readonly ToolCall[] {
    return this.#calls;
  }

  take(part: JsonObject): Delta {
    const { thoughtSignature, thought, text, functionCall, ...rest } = part;
    this.#lost.noteAll(this.#place, rest);
    const delta: Delta = {};
    if (isText(part) && part.text !== '') {
      if (thought === true) {
        this.#unsigned += part.text;
        this.#thought += part.text;
        delta.reasoning_content = part.text;
      } else {
        this.#said = (this.#said ?? '') + part.text;
        delta.content = part.text;
      }
    }
    const signature = typeof thoughtSignature === 'string' ? thoughtSignature : '';
    if (isSignature(signature)) {
      const block = { type: 'thinking', thinking: this.#unsigned, signature };
      this.#unsigned = '';
      this.#blocks.push(block);
      delta.thinking_blocks = [block];
    }
    if (isObject(functionCall)) delta.tool_calls = [this.#call(functionCall, signature)];
    return delta;
  }

  /** @param as in an answer, `reasoning_content` also repeats the text of thinking blocks */
  message(as: 'request' | 'answer'): ChatMessage {
    const thought = as === 'answer' ? this.#thought : this.#unsigned;
    return {
      role: 'assistant',
      content: this.#said,
      ...(thought !== '' && { reasoning_content: thought }),
      ...(this.#blocks.length > 0 && { thinking_blocks: this.#blocks }),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
    };
  }

  #call({ id, name, args, ...rest }: JsonObject, signature: string): ToolCallDelta {
    this.#lost.noteAll(`${this.#place}.functionCall`, rest);
    const index = this.#calls.length;
    const called = { name: typeof name === 'string' ? name : '', arguments: JSON.stringify(args ?? {}) };
    const call: ToolCall = {
      id: typeof id === 'string' && id !== '' ? id : this.#idOf(index),
      type: 'function',
      function: called,
      ...signedCall(signature),
    };
    this.#calls.push(call);
    return { ...call, index } as ToolCallDelta;
  }
}
