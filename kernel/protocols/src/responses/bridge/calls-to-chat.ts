import { isObject, JSON_VALUE_BYTES, type JsonObject } from '@svc/contracts';
import { malformed } from '../../upstream-error/index.ts';
import { textOf } from './seen-texts.ts';

/** The field with the text of a call, by type. */
const FORMS = {
  function_call: { type: 'function', field: 'arguments' },
  custom_tool_call: { type: 'custom', field: 'input' },
} as const;

type CallType = keyof typeof FORMS;

export function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** Converts the calls of a response to tool call deltas. */
export class CallsToChat {
  readonly #calls = new Map<number, { readonly index: number; readonly type: CallType; text: string }>();
  #size = 0;
  /** Bytes of text that are buffered. */
  held = 0;

  get size(): number {
    return this.#size;
  }

  /** A function in a namespace gets a name that begins with the namespace. */
  begin(item: JsonObject, at: number): JsonObject {
    const { call_id, name, namespace } = item;
    const type = item.type as CallType;
    const form = FORMS[type];
    const text = argumentsOf(item[form.field]);
    const index = this.#size;
    this.#size += 1;
    this.#calls.set(at, { index, type, text });
    this.held += text.length + JSON_VALUE_BYTES;
    const spaced = typeof namespace === 'string' && namespace !== '' ? `${namespace}__` : '';
    const called = { name: spaced + textOf(name), [form.field]: text };
    return { tool_calls: [{ index, id: textOf(call_id), type: form.type, [form.type]: called }] };
  }

  grow(at: number, piece: unknown): JsonObject {
    const call = this.#calls.get(at);
    if (call === undefined) throw malformed('a delta without a tool call');
    const text = textOf(piece);
    call.text += text;
    this.held += text.length + JSON_VALUE_BYTES;
    const { type, field } = FORMS[call.type];
    return { tool_calls: [{ index: call.index, [type]: { [field]: text } }] };
  }

  /** Takes the final text of a call. Pieces that were already received are kept, even if they contradict it. */
  done(at: number, whole: unknown): JsonObject[] {
    const said = this.#calls.get(at)?.text ?? '';
    const text = argumentsOf(whole);
    return text.startsWith(said) && text !== said ? [this.grow(at, text.slice(said.length))] : [];
  }

  end(item: JsonObject, at: number): JsonObject[] {
    const call = this.#calls.get(at);
    return call === undefined ? [] : this.done(at, item[FORMS[call.type].field]);
  }
}

/** Some servers send arguments as an object. */
function argumentsOf(value: unknown): string {
  if (isObject(value)) return JSON.stringify(value);
  return value == null ? '' : textOf(value);
}
