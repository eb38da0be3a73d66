import { tokenStreams } from '../harness/token-streams.ts';
import { HEAD, USAGE } from './answers.ts';
import type { Protocol } from './protocols.ts';

/** The upstream's streams, computed once. Each piece is an HTTP chunk. */

const STREAM_HEAD = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
const TERMINATOR = Buffer.from('0\r\n\r\n');
/** Tokens of ordinary prose, one per chunk. Guards hold back text that may be the start of a match; a repeated word never would be. */
const TOKENS = (tokenStreams().get('prose') ?? []).flat();

/** `type` is also the name of the event. */
interface Event extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

interface Stream {
  /** Events before the first text. */
  readonly start: string;
  readonly delta: (text: string, at: number) => string;
  /** Events after the last text, which repeat all of it. */
  readonly end: (text: string, chunks: number, usageAsked: boolean) => string;
}

const RESPONSE = { id: 'resp_bench', object: 'response', created_at: HEAD.created, model: 'bench' };
const ITEM = { id: 'msg_bench', type: 'message', role: 'assistant' };
const PLACE = { item_id: ITEM.id, output_index: 0, content_index: 0 };
const PART = { type: 'output_text', annotations: [], logprobs: [] };
const OPENING = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, status: 'in_progress', content: [] } },
  { type: 'response.content_part.added', ...PLACE, part: { ...PART, text: '' } },
];
const COUNTED = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens };
const MESSAGE = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench', content: [], stop_reason: null };

const STREAMS: Readonly<Record<Protocol, Stream>> = {
  chat: {
    start: '',
    delta: (content) => frame([{ index: 0, delta: { content }, finish_reason: null }]),
    end: (_text, _chunks, usageAsked) =>
      `${frame([{ index: 0, delta: {}, finish_reason: 'stop' }])}${usageAsked ? frame([], USAGE) : ''}data: [DONE]\n\n`,
  },
  responses: {
    start: numbered(0, ...OPENING),
    delta: (delta, at) => numbered(OPENING.length + at, { type: 'response.output_text.delta', ...PLACE, delta }),
    end: (text, chunks) => {
      const part = { ...PART, text };
      const item = { ...ITEM, status: 'completed', content: [part] };
      const usage = { ...COUNTED, total_tokens: USAGE.total_tokens };
      return numbered(
        OPENING.length + chunks,
        { type: 'response.output_text.done', ...PLACE, text },
        { type: 'response.content_part.done', ...PLACE, part },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [item], usage } },
      );
    },
  },
  messages: {
    start: [
      event({ type: 'message_start', message: { ...MESSAGE, usage: { ...COUNTED, output_tokens: 1 } } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ].join(''),
    delta: (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    end: () =>
      [
        event({ type: 'content_block_stop', index: 0 }),
        event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: COUNTED }),
        event({ type: 'message_stop' }),
      ].join(''),
  },
};

/** The pieces of a stream. All except `deltas` are sent at once. */
export interface Pieces {
  readonly start: Buffer;
  readonly deltas: readonly Buffer[];
  readonly end: Buffer;
}

const made = new Map<string, Pieces>();

/** @param chunks number of deltas */
export function streamOf(protocol: Protocol, chunks: number, usageAsked: boolean): Pieces {
  const name = `${protocol} ${chunks} ${usageAsked}`;
  const pieces = made.get(name) ?? makeStream(STREAMS[protocol], chunks, usageAsked);
  made.set(name, pieces);
  return pieces;
}

function makeStream({ start, delta, end }: Stream, chunks: number, usageAsked: boolean): Pieces {
  const texts = Array.from({ length: chunks }, (_, at) => TOKENS[at % TOKENS.length] ?? '');
  return {
    start: Buffer.concat([STREAM_HEAD, ...(start === '' ? [] : [httpChunk(start)])]),
    deltas: texts.map((text, at) => httpChunk(delta(text, at))),
    end: Buffer.concat([httpChunk(end(texts.join(''), chunks, usageAsked)), TERMINATOR]),
  };
}

function frame(choices: unknown[], usage?: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', model: 'bench', choices, usage })}\n\n`;
}

function event(data: Event): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Events of a response, numbered from `first`. */
function numbered(first: number, ...events: readonly Event[]): string {
  return events.map((data, at) => event({ ...data, sequence_number: first + at })).join('');
}

function httpChunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}
