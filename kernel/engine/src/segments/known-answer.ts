import type { ChatChoice, ChatCompletion, ChatMessage, ToolCall } from '@svc/contracts';
import { LeftOut } from './left-out.ts';

/**
 * The answer with only the fields that the segment walk knows; `logprobs` (which repeat the text token by token) and fields that
 * did not exist when this was written are left out, since they could carry text past an egress guard. `svc_left_out` names them.
 */
export function knownAnswer(completion: ChatCompletion): ChatCompletion {
  const left = new LeftOut();
  left.note('answer', completion);
  const { id, object, created, model, system_fingerprint, service_tier, usage } = completion;
  const choices = completion.choices.map((choice) => knownChoice(choice, left));
  const svc_left_out = left.names.length === 0 ? undefined : left.names;
  return pruned({ id, object, created, model, system_fingerprint, service_tier, usage, choices, svc_left_out });
}

function knownChoice(choice: ChatChoice, left: LeftOut): ChatChoice {
  left.note('choice', choice);
  const { index, finish_reason, message } = choice;
  return { index, finish_reason, message: knownMessage(message, left) };
}

function knownMessage(message: ChatMessage, left: LeftOut): ChatMessage {
  left.note('message', message);
  const { role, content, refusal, reasoning_content, annotations, audio, function_call, tool_calls } = message;
  return pruned({
    role,
    content,
    refusal,
    reasoning_content,
    annotations,
    audio,
    function_call,
    tool_calls: tool_calls?.map((call) => knownToolCall(call, left)),
  });
}

function knownToolCall(call: ToolCall, left: LeftOut): ToolCall {
  left.note('call', call);
  const { id, type, function: called, custom } = call;
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
