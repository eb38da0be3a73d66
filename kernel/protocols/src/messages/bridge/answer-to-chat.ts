import type { AnswerBody, AnswerIdentity, ChatCompletion, ChatMessage, JsonObject, ToolCall } from '@svc/contracts';
import { usageToChat } from '../../chat/usage.ts';
import { finishReason, knownFinishReason } from '../../common/finish-reason.ts';
import { nameIn } from '../../common/json-shapes.ts';
import { Lost } from '../../common/lost.ts';
import { MESSAGES_NAMES } from '../../names/messages.ts';
import { malformed } from '../../upstream-error/index.ts';
import { blocksIn, hasCalls, readMessage } from '../answer.ts';
import { STOP_REASONS } from '../vocabulary.ts';
import { blockOf } from './thinking-from-chat.ts';

/**
 * A message as a chat completion. `svc_left_out` lists the blocks and fields that the chat format cannot express.
 * @throws {ProviderError} `malformed` if the value is not a message
 */
export function answerToChat(answer: AnswerBody, identity: AnswerIdentity): ChatCompletion {
  const checked = readMessage(answer);
  const usage = usageToChat(checked.usage);
  const lost = new Lost((name) => MESSAGES_NAMES.has(name));
  const message = messageOf(blocksIn(checked), lost);
  noteEnding(checked, lost);
  return {
    ...headIn(checked, identity),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(checked.stop_reason, hasCalls(checked)) }],
    ...(usage !== undefined && { usage }),
    ...(lost.paths.length > 0 && { svc_left_out: lost.paths }),
  };
}

/** The `id` and `model` of an answer: the message's own if it has them. */
export function headIn({ id, model }: Readonly<Record<string, unknown>>, otherwise: AnswerIdentity): AnswerIdentity {
  return {
    id: typeof id === 'string' && id !== '' ? id.toWellFormed() : otherwise.id,
    created: otherwise.created,
    model: typeof model === 'string' ? model.toWellFormed() : otherwise.model,
  };
}

function messageOf(blocks: readonly JsonObject[], lost: Lost): ChatMessage {
  const of = (kind: string): readonly JsonObject[] => blocks.filter(({ type }) => type === kind);
  const said = of('text').map(({ text }) => textIn(text));
  const thought = of('thinking')
    .map(({ thinking }) => textIn(thinking))
    .join('');
  const signed = blocks.flatMap((block) => blockOf(block) ?? []);
  const calls = of('tool_use').map(callOf);
  for (const block of blocks) noteLost(block, lost);
  return {
    role: 'assistant',
    content: said.length === 0 ? null : said.join(''),
    ...(thought !== '' && { reasoning_content: thought }),
    ...(signed.length > 0 && { thinking_blocks: signed }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Reports details of the stop reason as lost if the chat format cannot express them. */
export function noteEnding({ stop_reason, stop_sequence, stop_details }: Readonly<Record<string, unknown>>, lost: Lost): void {
  const isExpressible =
    SAID_IN_CHAT.has(stop_reason) || (!STOP_REASONS.has(nameIn(stop_reason)) && knownFinishReason(stop_reason) !== null);
  if (!isExpressible) lost.noteAll('', { stop_reason });
  lost.noteAll('', { stop_sequence, stop_details });
}

const SAID_IN_CHAT: ReadonlySet<unknown> = new Set(['end_turn', 'max_tokens', 'tool_use', 'refusal', 'stop_sequence']);

const HAVE_A_PLACE: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/** Reports a block as lost if the chat format cannot express it, and also the citations of a block. */
export function noteLost({ type, citations }: JsonObject, lost: Lost): void {
  if (!HAVE_A_PLACE.has(type)) lost.note('content', nameIn(type));
  lost.noteAll('content', { citations });
}

function callOf({ id, name, input }: JsonObject): ToolCall {
  // Numbers may be `JSON.rawJSON`, which `JSON.stringify` writes with all digits.
  return { id: textIn(id), type: 'function', function: { name: textIn(name), arguments: JSON.stringify(input ?? {}) } };
}

function textIn(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a content block without text');
  return value;
}
