import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';
import type { Question } from './exchange.ts';

export interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly question: Question;
}

/** An operator's endpoint on a free port of 127.0.0.1, with the behaviour that the test gives it. */
export class Endpoint extends HttpDouble {
  readonly asked: Asked[] = [];
  #answer: (asked: Asked, response: ServerResponse) => void;

  constructor(answer: (asked: Asked, response: ServerResponse) => void) {
    super();
    this.#answer = answer;
  }

  behave(answer: (asked: Asked, response: ServerResponse) => void): void {
    this.#answer = answer;
  }

  get url(): string {
    return `${this.origin}/check`;
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const asked = { headers: request.headers, body, question: JSON.parse(body) as Question };
    this.asked.push(asked);
    this.#answer(asked, response);
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
