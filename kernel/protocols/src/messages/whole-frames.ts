import { type AnswerBody, type AnswerFrame, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { blocksIn } from './answer.ts';

/** The frames of a whole message. Each block whose text is streamed starts empty and gets the text in one piece. */
export function* framesOf(answer: AnswerBody): Generator<AnswerFrame> {
  const { content: _, stop_reason, stop_sequence, stop_details, ...message } = answer;
  yield {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage: begunUsage(message.usage) },
  };
  for (const [index, block] of blocksIn(answer).entries()) yield* framesOfBlock(index, block);
  const details = stop_details === undefined ? {} : { stop_details };
  yield {
    type: 'message_delta',
    delta: { stop_reason: stop_reason ?? null, stop_sequence: stop_sequence ?? null, ...details },
    usage: message.usage,
  };
  yield { type: 'message_stop' };
}

/** Leaves the final counts to the last frame. */
function begunUsage(usage: unknown): unknown {
  return isObject(usage) ? { ...usage, output_tokens: 0 } : usage;
}

function* framesOfBlock(index: number, block: JsonObject): Generator<AnswerFrame> {
  const { begun, deltas } = piecesOf(block);
  yield { type: 'content_block_start', index, content_block: begun };
  for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
  yield { type: 'content_block_stop', index };
}

function piecesOf(block: JsonObject): { begun: JsonObject; deltas: JsonObject[] } {
  switch (block.type) {
    case 'text': {
      const { citations, ...rest } = block;
      const cited = Array.isArray(citations) ? citations : [];
      const begun = { ...rest, text: '', ...(citations === undefined ? {} : { citations: citations === null ? null : [] }) };
      const cites = cited.map((citation: JsonValue): JsonObject => ({ type: 'citations_delta', citation }));
      return { begun, deltas: [...piece('text_delta', 'text', block.text), ...cites] };
    }
    case 'thinking':
      return {
        begun: { ...block, thinking: '', ...(block.signature === undefined ? {} : { signature: '' }) },
        deltas: [
          ...piece('thinking_delta', 'thinking', block.thinking),
          ...piece('signature_delta', 'signature', block.signature),
        ],
      };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return {
        begun: { ...block, input: {} },
        deltas: piece('input_json_delta', 'partial_json', JSON.stringify(block.input ?? {})),
      };
    default:
      return { begun: block, deltas: [] };
  }
}

function piece(type: string, name: string, value: unknown): JsonObject[] {
  return typeof value === 'string' && value !== '' ? [{ type, [name]: value }] : [];
}
