import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Answers with JSON that is written already. */
export function sendJson(reply: FastifyReply, json: string | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json);
}

/** The body `{"name":[…]}` of elements that are JSON already, made part by part as it is sent. */
export function jsonList(name: string, parts: AsyncIterable<readonly string[]>): Readable {
  return Readable.from(textOf(name, parts), { highWaterMark: 1 });
}

/** So many characters are made whole: some 1,000 runs of the usual size. */
const MAX_WHOLE = 4_000_000;

/** As {@link jsonList}; a small list is made whole. All of a large one is read before it is sent, so that damage is an error, not half an answer. */
export async function wholeOrParts(name: string, parts: () => AsyncIterable<readonly string[]>): Promise<string | Readable> {
  const whole: string[] = [];
  let length = 0;
  for await (const part of parts()) {
    length += part.reduce((sum, text) => sum + text.length, 0);
    if (length > MAX_WHOLE) whole.length = 0;
    else whole.push(...part);
  }
  return length > MAX_WHOLE ? jsonList(name, parts()) : `{"${name}":[${whole.join(',')}]}`;
}

async function* textOf(name: string, parts: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let before = `{"${name}":[`;
  for await (const part of parts) {
    if (part.length === 0) continue;
    yield before + part.join(',');
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
