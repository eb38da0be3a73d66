import type { AnthropicBlock, AnthropicMessage } from './message.ts';

/** An event of a streamed answer. `type` is also its SSE event name. */
export interface AnthropicEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const piecesOf = (text: unknown): string[] => (typeof text === 'string' ? text : '').match(/.{1,8}/gsu) ?? [];

/** The empty start of a block, and the deltas that fill it. */
function growthOf(block: AnthropicBlock): { empty: AnthropicBlock; deltas: AnthropicEvent[] } {
  switch (block.type) {
    case 'text':
      return { empty: { ...block, text: '' }, deltas: piecesOf(block.text).map((text) => ({ type: 'text_delta', text })) };
    case 'thinking':
      return {
        empty: { ...block, thinking: '', signature: '' },
        deltas: [
          ...piecesOf(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use': {
      const written = JSON.stringify(block.input);
      // For a tool without arguments, there is one empty delta.
      const pieces = written === '{}' ? [''] : ['', ...piecesOf(written)];
      return {
        empty: { ...block, input: {} },
        deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      };
    }
    default:
      return { empty: block, deltas: [] };
  }
}

function blockEvents(block: AnthropicBlock, index: number): AnthropicEvent[] {
  const { empty, deltas } = growthOf(block);
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** An answer as the API streams it: each block in small deltas, a ping in between, and usage and stop reason at the end. */
export function eventsOf(message: AnthropicMessage): AnthropicEvent[] {
  const { content, stop_reason, stop_sequence, usage } = message;
  const [first = [], ...rest] = content.map(blockEvents);
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: 'message_start', message: begun },
    ...first.slice(0, 1),
    { type: 'ping' },
    ...first.slice(1),
    ...rest.flat(),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ];
}
