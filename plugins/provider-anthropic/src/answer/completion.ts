import type { ChatCompletion, JsonObject, ToolCall } from '@svc/sdk';
import { type Identity, isObject, malformed, parseJson } from '@svc/toolkit/upstream';
import { parseExact } from '../json/exact-json.ts';
import { finishReason } from './finish-reason.ts';
import { identify } from './identity.ts';
import { thinkingBlock } from './thinking-block.ts';
import { usageOf } from './usage.ts';

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a block without its text');
  return value;
}

function contentOf(message: unknown): JsonObject[] {
  if (!isObject(message) || message.type !== 'message' || !Array.isArray(message.content)) throw malformed('not a message');
  return message.content.map((block) => {
    if (!isObject(block) || typeof block.type !== 'string') throw malformed('a block that is none');
    return block;
  });
}

/** @param input from {@link parseExact} */
function toolCall({ id, name }: JsonObject, input: unknown): ToolCall {
  return { id: textOf(id), type: 'function', function: { name: textOf(name), arguments: JSON.stringify(input ?? {}) } };
}

/**
 * Reads a whole answer. Blocks other than text, thinking and tool calls are ignored: the gateway never requests them.
 * @throws {ProviderError} `malformed` for anything that is not a message
 */
export function readCompletion(text: string, identity: Identity): ChatCompletion {
  const message = parseJson(text);
  const blocks = contentOf(message);
  const { stop_reason, usage: counted } = message as JsonObject;
  const said = blocks.filter(({ type }) => type === 'text').map((block) => textOf(block.text));
  const thought = blocks
    .filter(({ type }) => type === 'thinking')
    .map((block) => textOf(block.thinking))
    .join('');
  const thinking_blocks = blocks.flatMap((block) => thinkingBlock(block) ?? []);
  const exact = blocks.some(({ type }) => type === 'tool_use') ? contentOf(parseExact(text)) : [];
  const tool_calls = blocks.flatMap((block, at) => (block.type === 'tool_use' ? [toolCall(block, exact[at]?.input)] : []));
  const usage = usageOf(counted);
  return {
    ...identify(message, identity),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: said.length === 0 ? null : said.join(''),
          ...(thought !== '' && { reasoning_content: thought }),
          ...(thinking_blocks.length > 0 && { thinking_blocks }),
          ...(tool_calls.length > 0 && { tool_calls }),
        },
        logprobs: null,
        finish_reason: finishReason(stop_reason),
      },
    ],
    ...(usage !== undefined && { usage }),
  };
}
