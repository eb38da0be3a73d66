import { Readable } from 'node:stream';
import { Turns } from '@svc/contracts';

/** How many characters are sent at a time. */
const PIECE = 65_536;

/** OpenAI's list of embeddings as JSON. It is created while it is sent, because 2,048 vectors are 60 MB of text. */
export function embeddingList(
  embeddings: readonly (string | readonly number[])[],
  rest: { model: string; usage: object },
): Readable {
  return Readable.from(textOf(embeddings, rest), { highWaterMark: 1 });
}

async function* textOf(embeddings: readonly (string | readonly number[])[], rest: object): AsyncGenerator<string> {
  const turns = new Turns();
  let text = '{"object":"list","data":[';
  for (const [index, embedding] of embeddings.entries()) {
    text += `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${JSON.stringify(embedding)}}`;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
    if (turns.isOver) await turns.next();
  }
  yield `${text}],${JSON.stringify(rest).slice(1)}`;
}
