import {
  type ChatChoice,
  type ChatCompletion,
  type ChatMessage,
  isObject,
  type ThinkingBlock,
  type ToolCall,
} from '@svc/contracts';
import { isOpaque } from '../common/opaque.ts';
import { LeftOut } from './left-out.ts';

/**
 * The answer with only the fields of which segments are collected. `logprobs` (which repeat the text token by token) and fields that did not
 * exist when this was written are left out, since they could carry text past an egress guard. `svc_left_out` names them.
 */
export function knownAnswer(completion: ChatCompletion): ChatCompletion {
  const left = new LeftOut();
  const answer: ChatCompletion = left.known('answer', completion);
  answer.choices = completion.choices.map((choice) => knownChoice(choice, left));
  if (left.names.length > 0) answer.svc_left_out = left.names;
  return answer;
}

function knownChoice(choice: ChatChoice, left: LeftOut): ChatChoice {
  left.note('choice', choice);
  const { index, finish_reason, message } = choice;
  return { index, finish_reason, message: knownMessage(message, left) };
}

function knownMessage(message: ChatMessage, left: LeftOut): ChatMessage {
  const known: ChatMessage = left.known('message', message);
  if (known.thinking_blocks !== undefined) {
    const blocks = known.thinking_blocks === null ? [] : knownBlocks(known.thinking_blocks, left);
    if (blocks.length === 0) delete known.thinking_blocks;
    else known.thinking_blocks = blocks;
  }
  if (known.tool_calls != null) known.tool_calls = known.tool_calls.map((call): ToolCall => left.known('call', call));
  return known;
}

/** Blocks of thinking in their closed form: a stream sends them on before all of it has come. */
function knownBlocks(blocks: unknown, left: LeftOut): ThinkingBlock[] {
  return (Array.isArray(blocks) ? blocks : [blocks]).flatMap((block: unknown) => knownBlock(block, left) ?? []);
}

/** Null, and noted, where it is no block, or none that its vendor would take back. */
export function knownBlock(block: unknown, left: LeftOut): ThinkingBlock | null {
  const { type, thinking, signature, data } = isObject(block) ? block : {};
  if (isObject(block)) left.note('block', block);
  if (type === 'thinking' && typeof thinking === 'string' && isOpaqueText(signature)) return { type, thinking, signature };
  if (type === 'redacted_thinking' && isOpaqueText(data)) return { type, data };
  left.noteBlock();
  return null;
}

function isOpaqueText(value: unknown): value is string {
  return typeof value === 'string' && isOpaque(value);
}
