import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Question } from './exchange.ts';

export interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly question: Question;
}

/** An operator's endpoint on a free port of 127.0.0.1, with the behaviour that the test gives it. */
export class Endpoint {
  readonly asked: Asked[] = [];
  url = '';
  #answer: (asked: Asked, response: ServerResponse) => void;
  readonly #server = createServer(async (request, response) => {
    const body = await text(request);
    const asked = { headers: request.headers, body, question: JSON.parse(body) as Question };
    this.asked.push(asked);
    this.#answer(asked, response);
  });

  constructor(answer: (asked: Asked, response: ServerResponse) => void) {
    this.#answer = answer;
  }

  behave(answer: (asked: Asked, response: ServerResponse) => void): void {
    this.#answer = answer;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/check`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Blocks text that contains `forbidden`, masks `secret`, and allows the rest. */
export function policy({ question }: Asked, response: ServerResponse): void {
  const found = (word: string) =>
    question.segments.flatMap(({ index, text: whole }) =>
      [...whole.matchAll(new RegExp(word, 'g'))].map((match) => ({
        segment: index,
        start: match.index,
        end: match.index + word.length,
      })),
    );
  const [blocked, masked] = [found('forbidden'), found('secret')];
  const edits = masked.map((place) => ({ ...place, replacement: '<MASKED>' }));
  const findings = [
    ...(blocked.length > 0 ? [{ entity_type: 'FORBIDDEN', count: blocked.length }] : []),
    ...(masked.length > 0 ? [{ entity_type: 'SECRET', count: masked.length }] : []),
  ];
  const verdict = blocked.length > 0 ? 'block' : masked.length > 0 ? 'sanitize' : 'allow';
  response.end(JSON.stringify({ verdict, code: 'policy', edits, findings, of: 'tomorrow' }));
}
