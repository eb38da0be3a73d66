import type { JsonObject } from '@svc/contracts';
import { sseFrame } from '../fixtures/upstream.ts';
import { chunk } from './stream-scene.ts';

const PIECE = 'word '.repeat(3_200);
/** An event may have at most 8 MB, so a response needs several items. */
const ITEMS = 3;

function named(event: JsonObject): string {
  return `event: ${event.type}\n${sseFrame(event)}`;
}

function* chat(pieces: number): Generator<string> {
  for (let n = 0; n < pieces; n += 1) yield sseFrame(chunk({ content: PIECE }));
  yield sseFrame(chunk({}, { finish_reason: 'stop' }));
  yield sseFrame('[DONE]');
}

function* messages(pieces: number): Generator<string> {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };
  yield named({ type: 'message_start', message });
  yield named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  const delta = named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: PIECE } });
  for (let n = 0; n < pieces; n += 1) yield delta;
  yield named({ type: 'content_block_stop', index: 0 });
  yield named({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage });
  yield named({ type: 'message_stop' });
}

function* responses(pieces: number): Generator<string> {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
  yield named({ type: 'response.created', response });
  const text = PIECE.repeat(Math.ceil(pieces / ITEMS));
  for (let output_index = 0; output_index < ITEMS; output_index += 1) {
    const item = { id: `msg_${output_index}`, type: 'message', role: 'assistant' };
    const at = { item_id: item.id, output_index, content_index: 0 };
    const part = { type: 'output_text', text, annotations: [] };
    yield named({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } });
    yield named({ type: 'response.content_part.added', ...at, part: { ...part, text: '' } });
    const delta = named({ type: 'response.output_text.delta', ...at, delta: PIECE });
    for (let n = 0; n < pieces / ITEMS; n += 1) yield delta;
    yield named({ type: 'response.output_text.done', ...at, text });
    yield named({ type: 'response.content_part.done', ...at, part });
    yield named({ type: 'response.output_item.done', output_index, item: { ...item, status: 'completed', content: [part] } });
  }
  yield named({ type: 'response.completed', response: { ...response, status: 'completed' } });
}

const ANSWERS = { chat, messages, responses };
export type LongAnswer = keyof typeof ANSWERS;

/** The events of a streamed answer with this many bytes of text. */
export function longAnswer(protocol: LongAnswer, bytes: number): string[] {
  return [...ANSWERS[protocol](Math.ceil(bytes / PIECE.length))];
}
