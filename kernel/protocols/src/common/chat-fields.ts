import { type ChatChunkChoice, type ChatRequest, isObject, type JsonValue } from '@svc/contracts';
import { isGatewayField } from './gateway-fields.ts';
import type { Lost } from './lost.ts';
import { words } from './words.ts';

/** These are converted together with other parameters, or set by the provider. */
const CONVERTED = words(
  'model messages max_tokens max_completion_tokens tools tool_choice parallel_tool_calls stream stream_options',
);

/** The parameters of a chat request that a bridge converts one by one. Null values count as absent. */
export function parametersIn(request: ChatRequest): [name: string, value: JsonValue][] {
  const given = Object.entries(request) as [string, JsonValue | undefined][];
  return given.filter(
    (field): field is [string, JsonValue] => !CONVERTED.has(field[0]) && !isGatewayField(field[0]) && field[1] != null,
  );
}

/** The output limit of a chat request. `isOlderLost`: the older field has a different value, which is ignored. */
export function maxTokensIn({ max_completion_tokens: newer, max_tokens: older }: ChatRequest) {
  const limit = newer ?? older ?? null;
  return { limit, isOlderLost: older != null && older !== limit };
}

/** The tool choice of a chat request, for APIs that support only functions. Null if they do not support the choice. */
export function choiceIn(choice: unknown): 'auto' | 'none' | 'required' | { readonly name: string } | null {
  if (choice == null) return 'auto';
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const called = isObject(choice) && choice.type === 'function' ? choice.function : null;
  return isObject(called) && typeof called.name === 'string' ? { name: called.name } : null;
}

/** Fields of a delta that other protocols also have. */
const COMMON = words('role content refusal reasoning_content reasoning thinking_blocks tool_calls');

/** Reports fields of a chunk as lost if only the chat format has them. */
export function noteChatOnly({ delta, logprobs }: ChatChunkChoice, lost: Lost): void {
  lost.noteAll('choices.message', Object.fromEntries(Object.entries(delta).filter(([name]) => !COMMON.has(name))));
  lost.noteAll('choices', { logprobs });
}
