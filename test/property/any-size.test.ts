import type { ChatCompletionChunk, Provider } from '@svc/contracts';
import { responseText } from '@svc/runtime/content';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { completionOf, guardOf, nodeOf, OpenGateway } from '../harness/open-gateway.ts';

// A guard that is passed by at some size, or by some cut, guards nothing: the same text has the same verdict in every form.

const LIMIT = 4 * 1024 * 1024;
const SIZES = [1, 2, 63, 1_000, 16_384, 65_537, 1_000_000, LIMIT - 200];
const FILLER = ['x', ' ', '\n', '😀', 'é'];
const MATCH = 'ACC-4711';

function filler(length: number, seed: number): string {
  const unit = FILLER.map((_, i) => FILLER[(i * ((seed % 4) + 1)) % FILLER.length]).join('');
  return unit
    .repeat(Math.ceil(length / unit.length))
    .slice(0, length)
    .toWellFormed()
    .replaceAll('\ufffd', 'x');
}

/** Pieces of 1 to `longest` characters, none of them empty. */
function cut(text: string, longest: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + ((at * 7 + longest) % longest);
    const end = text.slice(at, at + length).isWellFormed() ? at + length : at + length + 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function chunk(content: string, finish_reason: string | null = null): ChatCompletionChunk {
  const choices = [{ index: 0, delta: { content }, finish_reason }];
  return { id: 'answer', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices };
}

let text = '';
let longest = 1;
const complete: Provider['complete'] = async () => ({ completion: completionOf(text), unsupported: [] });
const stream: Provider['stream'] = async () => ({
  chunks: (async function* () {
    for (const piece of cut(text, longest)) yield chunk(piece);
    yield chunk('', 'stop');
  })(),
  unsupported: [],
});

async function ask(opened: OpenGateway, streamed: boolean): Promise<{ status: string; text: string; event: unknown }> {
  const frames: ChatCompletionChunk[] = [];
  const outcome = await (streamed ? opened.startStreamed('go', frames) : opened.start('go'));
  const left = frames.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('');
  return { status: outcome.row.status, text: streamed ? left : responseText(outcome), event: outcome.tail?.at(-1)?.svc_event };
}

describe.each(['sanitize', 'block'] as const)('a rule that says %s', (verdict) => {
  let opened: OpenGateway;
  beforeAll(async () => {
    const rules = [{ name: 'account', match: 'ACC-\\d{4}', verdict }];
    const guard = await guardOf('rules', { rules });
    opened = await OpenGateway.start({ egress: [nodeOf('rules', guard)], complete, stream });
  });
  afterAll(() => opened.dispose());

  it('gives the same result for a whole answer and any pieces of it, and sends no character of a refused match', async () => {
    const place = fc.constantFrom('none', 'start', 'middle', 'end');
    const size = fc.constantFrom(...SIZES.slice(0, -1));
    const pieces = fc.constantFrom(1, 2, 3, 7, 100, 5_000, LIMIT);
    await fc.assert(
      fc.asyncProperty(size, place, pieces, fc.nat(3), async (length, where, most, seed) => {
        const around = filler(length, seed);
        const at = { none: 0, start: 0, middle: Math.floor(length / 2), end: length }[where];
        const [before, after] = [around.slice(0, at).toWellFormed(), around.slice(at).toWellFormed()];
        text = where === 'none' ? around : `${before}${MATCH}${after}`;
        // Small pieces of a large text are many frames: enough of them are tried elsewhere.
        longest = Math.max(most, Math.floor(length / 2_000));
        const whole = await ask(opened, false);
        const streamed = await ask(opened, true);
        const found = where !== 'none';
        expect(whole.status).toBe(found && verdict === 'block' ? 'blocked' : 'completed');
        expect(streamed.status).toBe(whole.status);
        if (whole.status === 'completed') expect(streamed.text === whole.text).toBe(true);
        else {
          expect(streamed.event).toBe('stream_violation');
          expect(before.startsWith(streamed.text)).toBe(true);
        }
      }),
    );
  });
});

describe('a request', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start({ here: true, config: echoConfig({ server: { body_limit_bytes: LIMIT } }) });
  });
  afterAll(() => gateway.dispose());

  it.each(SIZES)('of %i characters with a forbidden word is blocked wherever the word stands', async (length) => {
    for (const at of new Set([0, Math.floor(length / 2), length])) {
      const content = `${'x '.repeat(length).slice(0, at)} forbidden ${'x '.repeat(length).slice(0, length - at)}`.slice(
        0,
        LIMIT - 120,
      );
      const { status, body } = await gateway.chat(
        content.includes('forbidden') ? content : `forbidden ${content}`.slice(0, LIMIT - 120),
      );
      expect([status, body.choices[0].finish_reason]).toEqual([200, 'content_filter']);
    }
  });

  it('of exactly the limit is checked; one more byte is 413', async () => {
    const shell = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'forbidden ' }] });
    const body = (bytes: number): string => shell.replace('forbidden ', `forbidden ${'x'.repeat(bytes - shell.length)}`);
    const atLimit = await gateway.post('/v1/chat/completions', body(LIMIT));
    expect(atLimit.body.choices[0].finish_reason).toBe('content_filter');
    expect((await gateway.post('/v1/chat/completions', body(LIMIT + 1))).body.code).toBe('SVC-REQ-002');
  });
});
