/** The upstream's whole answers, computed once. A model is named `whole`, or `stream-CHUNKS-DELAY` with the milliseconds before each chunk. */

export const HEAD = { id: 'chatcmpl-bench', created: 1_700_000_000 };
export const USAGE = { prompt_tokens: 90, completion_tokens: 50, total_tokens: 140 };
const WORD = 'governed ';

export interface Shape {
  readonly chunks: number;
  /** Milliseconds before each chunk. A whole answer takes as long as all its chunks. */
  readonly delay: number;
}

export function shapeOf(body: string): Shape {
  const [, chunks = '50', delay = '0'] = /"model": ?"stream-(\d+)-(\d+)"/.exec(body) ?? [];
  return { chunks: Number(chunks), delay: Number(delay) };
}

const wholes = new Map<number, Buffer>();

/** Head and body of an answer sent in one piece. */
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
