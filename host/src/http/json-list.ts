import { Readable } from 'node:stream';

/** The body `{"name":[…]}` of elements that are JSON already, made part by part as it is sent. */
export function jsonList(name: string, parts: AsyncIterable<readonly string[]>): Readable {
  return Readable.from(textOf(name, parts), { highWaterMark: 1 });
}

/** Characters. */
const MAX_WHOLE = 4_000_000;

/** As {@link jsonList}. A small list is made whole; a large one is read to its end first, so that what cannot be read is an error and no broken answer. */
export async function wholeOrParts(name: string, parts: () => AsyncIterable<readonly string[]>): Promise<string | Readable> {
  let whole: string[] = [];
  let length = 0;
  for await (const part of parts()) {
    length += part.reduce((sum, text) => sum + text.length, 0);
    whole = length > MAX_WHOLE ? [] : [...whole, ...part];
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
