import { isObject, type JsonObject } from '@svc/sdk';
import { anyArguments } from '@svc/sdk/protocol';
import type { ToolCallDelta } from '@svc/sdk/provider';
import { signatureOfCall, signedIn, thoughtIn } from './signatures.ts';

/** Matches ids that this bridge made, because the request had none. */
export const OWN_ID = /^svc_call_\d+_\d+$/;

interface Call {
  id: string;
  name: string;
  written: string;
  signature: string;
}

/** Converts thinking, text and calls of the chat format to parts, in the order of arrival. Calls are written at the end. */
export class PartsFromChat {
  /** Thinking since the last signature. */
  #thought = '';
  #lastIsThought = false;
  #hasSaid = false;
  /** Signatures for the part that follows the thinking. */
  readonly #pending: string[] = [];
  readonly #calls = new Map<number, Call>();

  take(delta: Readonly<Record<string, unknown>>): JsonObject[] {
    const parts: JsonObject[] = [];
    this.#think(thoughtIn(delta), parts);
    for (const { thinking, signature } of signedIn(delta)) {
      if (thinking.startsWith(this.#thought)) this.#think(thinking.slice(this.#thought.length), parts);
      this.#thought = '';
      this.#pending.push(signature);
    }
    for (const text of [delta.content, delta.refusal]) this.#say(text, parts);
    for (const call of (delta.tool_calls ?? []) as readonly ToolCallDelta[]) this.#call(call);
    return parts;
  }

  /** Writes the calls, each with its signature. The signature of a text or of thinking comes after it. */
  end(): JsonObject[] {
    const calls = [...this.#calls.values()];
    const left = [...this.#pending];
    for (const { signature } of calls) if (left.includes(signature)) left.splice(left.lastIndexOf(signature), 1);
    // If a client sends back one call with its signature, it sends all signatures back.
    const areKept = calls.some(({ signature }) => signature !== '');
    const parts = calls.map(({ id, name, written, signature }) => {
      const thoughtSignature = areKept ? signature : (left.shift() ?? '');
      return {
        functionCall: { ...(id === '' || OWN_ID.test(id) ? {} : { id }), name, args: anyArguments(written) },
        ...(thoughtSignature !== '' && { thoughtSignature }),
      };
    });
    const rest = left.map((thoughtSignature) => ({
      text: '',
      ...(!this.#hasSaid && this.#lastIsThought && { thought: true }),
      thoughtSignature,
    }));
    return [...rest, ...parts];
  }

  /** Writes thinking. A signature between two thoughts belongs to the first. */
  #think(text: string, parts: JsonObject[]): void {
    if (text === '') return;
    if (this.#lastIsThought)
      for (const thoughtSignature of this.#pending.splice(0)) parts.push({ text: '', thought: true, thoughtSignature });
    this.#thought += text;
    this.#lastIsThought = true;
    parts.push({ text, thought: true });
  }

  #say(content: unknown, parts: JsonObject[]): void {
    const texts = Array.isArray(content)
      ? content.map((part) => (isObject(part) ? (part.text ?? part.refusal) : part))
      : [content];
    for (const text of texts) {
      if (typeof text !== 'string' || text === '') continue;
      this.#lastIsThought = false;
      this.#hasSaid = true;
      parts.push({ text });
    }
  }

  #call({ index, id, function: called, ...rest }: ToolCallDelta): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', written: '', signature: '' };
    this.#calls.set(index, call);
    call.id ||= id ?? '';
    call.name ||= called?.name ?? '';
    call.written += called?.arguments ?? '';
    call.signature ||= signatureOfCall(rest);
  }
}
