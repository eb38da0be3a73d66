import type { AnswerFrame, JsonObject } from '@svc/contracts';

/** Test data: messages, and frames in which a server streams them. */
export type Block = { readonly type: string; readonly [name: string]: unknown };

export function message(content: readonly Block[], more: object = {}) {
  return {
    id: 'msg_upstream',
    type: 'message',
    role: 'assistant',
    model: 'claude-1',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 7 },
    ...more,
  };
}

/** @param size size of each piece of text, in code units */
export function framesOfMessage({ content, ...head }: ReturnType<typeof message>, size: number): AnswerFrame[] {
  const { stop_reason, stop_sequence, usage } = head;
  return [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    ...content.flatMap((block, index) => framesOfBlock(block, index, size)),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ];
}

function framesOfBlock(block: Block, index: number, size: number): AnswerFrame[] {
  const { begun, deltas } = beginningOf(block, size);
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function beginningOf(block: Block, size: number): { begun: Block; deltas: JsonObject[] } {
  const { text, thinking, signature, input } = block;
  if (block.type === 'text') return { begun: { ...block, text: '' }, deltas: cut(text, 'text_delta', 'text', size) };
  if (block.type === 'thinking') {
    const thought = cut(thinking, 'thinking_delta', 'thinking', size);
    const signed = signature === undefined ? [] : [{ type: 'signature_delta', signature: String(signature) }];
    return { begun: { ...block, thinking: '', signature: '' }, deltas: [...thought, ...signed] };
  }
  if (!block.type.endsWith('tool_use')) return { begun: block, deltas: [] };
  return { begun: { ...block, input: {} }, deltas: cut(JSON.stringify(input), 'input_json_delta', 'partial_json', size) };
}

function cut(text: unknown, type: string, name: string, size: number): JsonObject[] {
  const whole = String(text);
  const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.slice(at * size, (at + 1) * size));
  return pieces.map((piece) => ({ type, [name]: piece }));
}
