import { isObject } from '@svc/contracts';

/** A function call of an earlier answer, as the caller sends it back. `arguments`: what a model wrote, so it may be no JSON. */
export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Reads a member of a message's `tool_calls`, which the gateway passes on as callers write it. Null: it is no function call. */
export function functionCallOf(call: unknown): FunctionCall | null {
  if (!isObject(call) || call.type !== 'function' || !isObject(call.function)) return null;
  const { id } = call;
  const { name, arguments: written } = call.function;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof written !== 'string') return null;
  return { id, name, arguments: written };
}
