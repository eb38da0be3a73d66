import { tokenStreams } from '../harness/token-streams.ts';

/** What the upstream answers, computed once. A model is named `whole`, or `stream-CHUNKS-DELAY` with the milliseconds before each chunk. */

const HEAD = { id: 'chatcmpl-bench', created: 1_700_000_000 };
const USAGE = { prompt_tokens: 90, completion_tokens: 50, total_tokens: 140 };
const WORD = 'governed ';

export interface Shape {
  readonly chunks: number;
  /** Milliseconds before each chunk; a whole answer takes as long as its chunks together. */
  readonly delay: number;
}

export function shapeOf(body: string): Shape {
  const [, chunks = '50', delay = '0'] = /"model":"stream-(\d+)-(\d+)"/.exec(body) ?? [];
  return { chunks: Number(chunks), delay: Number(delay) };
}

const wholes = new Map<number, Buffer>();

/** Head and body of an answer that is sent in one piece. */
export function wholeAnswer(chunks: number): Buffer {
  const known = wholes.get(chunks);
  if (known !== undefined) return known;
  const body = JSON.stringify({
    ...HEAD,
    object: 'chat.completion',
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: WORD.repeat(chunks) }, finish_reason: 'stop' }],
    usage: USAGE,
  });
  const made = Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  wholes.set(chunks, made);
  return made;
}

export const STREAM_HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
);
/** The tokens of ordinary prose, one a chunk: a guard holds back what may still become something, which a word repeated never does. */
const CHUNKS = (tokenStreams().get('prose') ?? [])
  .flat()
  .map((content) => frame([{ index: 0, delta: { content }, finish_reason: null }]));
const LAST = frame([{ index: 0, delta: {}, finish_reason: 'stop' }]);
const COUNTED = frame([], USAGE);
const DONE = httpChunk('data: [DONE]\n\n');
const TERMINATOR = Buffer.from('0\r\n\r\n');

export function chunk(place: number): Buffer {
  const known = CHUNKS[place % CHUNKS.length];
  if (known === undefined) throw new Error('no tokens');
  return known;
}

/** What follows the last chunk of text. */
export function streamEnd(usageAsked: boolean): Buffer {
  return Buffer.concat([LAST, ...(usageAsked ? [COUNTED] : []), DONE, TERMINATOR]);
}

function frame(choices: unknown[], usage?: object): Buffer {
  return httpChunk(`data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', model: 'bench', choices, usage })}\n\n`);
}

function httpChunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}
