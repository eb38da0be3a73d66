import { isObject, type JsonCounter, type JsonObject, type JsonValue, parseExact } from '@svc/contracts';
import { unsupported } from '../upstream-error/index.ts';

/** A function call of an earlier answer, as the caller sends it back. `arguments` may be invalid JSON, because a model wrote it. */
export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Reads an entry of a message's `tool_calls`, which the caller wrote. Null if it is not a function call. */
export function functionCallOf(call: unknown): FunctionCall | null {
  if (!isObject(call) || call.type !== 'function' || !isObject(call.function)) return null;
  const { id } = call;
  const { name, arguments: written } = call.function;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof written !== 'string') return null;
  return { id, name, arguments: written };
}

/**
 * The arguments of an earlier call as an object, for APIs that require one. Numbers may be `JSON.rawJSON`.
 * @param counter limits the arguments of all calls together
 * @throws {ProviderError} `unsupported`
 */
export function objectArguments({ arguments: written }: FunctionCall, counter: JsonCounter): JsonObject {
  if (written.trim() === '') return {};
  if (!/^\s*\{/.test(written)) throw unsupported('tool call arguments that are not an object');
  if (counter.text(written) !== null) throw unsupported('tool call arguments with too much JSON', 413);
  try {
    return parseExact(written) as JsonObject;
  } catch {
    throw unsupported('tool call arguments that are not JSON');
  }
}

/** The arguments of a call in an answer, as an object whatever the model wrote. */
export function anyArguments(written: string): JsonObject {
  if (written.trim() === '') return {};
  try {
    const value = parseExact(written) as JsonValue;
    return isObject(value) ? value : { arguments: value };
  } catch {
    return { arguments: written };
  }
}
