import { type ChatCompletion, type ChatRequest, type Edit, finished, type JsonCounter, type Segment } from '@svc/contracts';
import type { Admit } from '@svc/kernel/ports';
import { CHAT } from '@svc/protocols';
import { collectRequest as collect, collectTable } from './collect.ts';
import type { Leaf } from './leaf.ts';
import type { Payload } from './payload.ts';

/** Where a request contains the JSON. */
export type Where = 'tool' | 'input' | 'arguments' | 'vendor';

export function requestWith(where: Where, json: string): ChatRequest {
  if (where === 'tool') return { model: 'm', messages: [{ role: 'tool', tool_call_id: 'c', content: json }] };
  if (where === 'vendor') {
    const call = { type: 'mcp_call', arguments: json };
    return { model: 'm', messages: [{ role: 'assistant', content: null, vendor_calls: [call] }] };
  }
  const called = where === 'input' ? { custom: { name: 'f', input: json } } : { function: { name: 'f', arguments: json } };
  const call = { id: 'c', type: where === 'input' ? 'custom' : 'function', ...called };
  return { model: 'm', messages: [{ role: 'assistant', content: null, tool_calls: [call] }] };
}

export function textIn({ messages: [first] }: ChatRequest, where: Where): string {
  const [vendor] = (first?.vendor_calls ?? []) as { arguments: string }[];
  if (where === 'vendor') return String(vendor?.arguments);
  const call = first?.tool_calls?.[0] as { function?: { arguments: string }; custom?: { input: string } } | undefined;
  const held = where === 'tool' ? first?.content : where === 'input' ? call?.custom?.input : call?.function?.arguments;
  return String(held);
}

export function seen(payload: Payload): string[] {
  return payload.leaves.map((leaf) => leaf.text);
}

export function applyEdits(
  payload: Payload,
  edits: readonly Edit[],
  segments: readonly Segment[],
  leaves: readonly Leaf[] = payload.leaves,
): void {
  if (!finished(payload.edit(edits, { leaves, segments }))) throw new Error('the edits are not valid');
}

/** Collects a request in the chat format. */
export function collectRequest(request: ChatRequest, numbers?: boolean, counter?: JsonCounter, admit?: Admit): Payload {
  return collect(CHAT, request, numbers, counter, admit);
}

export function collectCompletion(completion: ChatCompletion, numbers?: boolean): Payload {
  return collectTable(CHAT.answer, completion, numbers);
}
