import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delayed } from 'node:timers/promises';
import { HttpDouble } from '@svc/toolkit/testing';

/** What the model server does to a share of the calls. `healthy` does nothing. */
export type Manner = 'healthy' | 'slow' | 'fails' | 'hangs' | 'cuts';

const SHARE = 0.5;
const SLOW_MS = 1_500;
const CHUNK_MS = 10;
const USAGE = { prompt_tokens: 90, completion_tokens: 50, total_tokens: 140 };
/** Guards mask the address and the key in each answer. */
const ANSWER =
  'Write to Maria Lopez at maria.lopez@example.org about account ACC-20481, and keep the note on the invoice short. ';
const WORDS = ANSWER.repeat(2).split(/(?<= )/);
const HEAD = { id: 'chatcmpl-soak', created: 1_700_000_000, model: 'soak' };

/** A model server with OpenAI's chat and embeddings API, whose manner the soak changes. */
export class Model extends HttpDouble {
  manner: Manner = 'healthy';
  /** Calls that arrived. */
  calls = 0;
  readonly #random: () => number;

  constructor(random: () => number) {
    super();
    this.#random = random;
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    this.calls += 1;
    const manner = this.#random() < SHARE ? this.manner : 'healthy';
    if (manner === 'hangs') return;
    if (manner === 'slow') await delayed(SLOW_MS);
    if (manner === 'fails') json(response, 500, { error: { message: 'soak', type: 'server_error', code: 'server_error' } });
    else if (request.url?.endsWith('/embeddings') === true) json(response, 200, EMBEDDINGS);
    else if (JSON.parse(body).stream === true) await stream(response, manner === 'cuts');
    else if (manner === 'cuts') response.writeHead(200, { 'content-length': 1_000 }).write('{"id"', () => response.destroy());
    else json(response, 200, COMPLETION);
  }
}

const EMBEDDINGS = {
  object: 'list',
  model: 'soak',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 0.75] }],
  usage: { prompt_tokens: 5, total_tokens: 5 },
};

const COMPLETION = {
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: WORDS.join('') }, finish_reason: 'stop' }],
  usage: USAGE,
};

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function stream(response: ServerResponse, isCut: boolean): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [at, content] of WORDS.entries()) {
    if (response.destroyed) return;
    if (isCut && at === WORDS.length >> 1) {
      response.destroy();
      return;
    }
    response.write(frame([{ index: 0, delta: { content }, finish_reason: null }]));
    await delayed(CHUNK_MS);
  }
  response.end(`${frame([{ index: 0, delta: {}, finish_reason: 'stop' }])}${frame([], USAGE)}data: [DONE]\n\n`);
}

function frame(choices: object[], usage?: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, usage })}\n\n`;
}
