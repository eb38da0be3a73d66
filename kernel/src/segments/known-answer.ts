import type { ChatChoice, ChatCompletion, ChatMessage, ToolCall } from '../contracts/index.ts';

/**
 * The answer with only the fields that the segment walk knows; `logprobs` (which repeat the text token by token) and fields that
 * did not exist when this was written are left out, since they could carry text past an egress guard.
 */
export function knownAnswer(completion: ChatCompletion): ChatCompletion {
  const { id, object, created, model, system_fingerprint, service_tier, usage } = completion;
  return pruned({
    id,
    object,
    created,
    model,
    system_fingerprint,
    service_tier,
    usage,
    choices: completion.choices.map(knownChoice),
  });
}

function knownChoice({ index, finish_reason, message }: ChatChoice): ChatChoice {
  return { index, finish_reason, message: knownMessage(message) };
}

function knownMessage(message: ChatMessage): ChatMessage {
  const { role, content, refusal, reasoning_content, annotations, audio, function_call, tool_calls } = message;
  return pruned({
    role,
    content,
    refusal,
    reasoning_content,
    annotations,
    audio,
    function_call,
    tool_calls: tool_calls?.map(knownToolCall),
  });
}

function knownToolCall({ id, type, function: called, custom }: ToolCall): ToolCall {
  return pruned({ id, type, function: called, custom });
}

/** Without what only the gateway may say: receipts and events of its own. */
export function withoutOurs<T extends object>(fields: T): T {
  const names = Object.keys(fields);
  if (!names.some(isOurs)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isOurs(name))) as T;
}

function isOurs(name: string): boolean {
  return name.startsWith('svc_');
}

/** Without the fields that were not there. */
function pruned<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
