import { Readable } from 'node:stream';

/** The body `{"name":[…]}` of elements that are JSON already, made part by part as it is sent. */
export function jsonList(name: string, parts: AsyncIterable<readonly string[]>): Readable {
  return Readable.from(textOf(name, parts), { highWaterMark: 1 });
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
