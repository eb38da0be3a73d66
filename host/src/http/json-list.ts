import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Sends serialized JSON. */
export function sendJson(reply: FastifyReply, json: string | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json);
}

/** The body `{"name":[…]}` with serialised elements. It is created in parts while it is sent. */
export function jsonList(name: string, parts: AsyncIterable<readonly string[]>): Readable {
  return Readable.from(textOf(name, parts), { highWaterMark: 1 });
}

/** Maximum number of characters of a body that is created as a whole: about 1,000 usual runs. */
const MAX_WHOLE = 4_000_000;

/** As {@link jsonList}, but a small list is created as a whole. A large one is first read completely, so that damage causes an error. */
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
