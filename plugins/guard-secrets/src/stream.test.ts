import type { Guard } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import secrets from './index.ts';
import type { Options } from './options.ts';
import { CLEAN, DEFAULTS, disorder, KEY_LINES, SAMPLES } from './samples.ts';

const guardOf = (options: Partial<Options> = {}): Guard => secrets.create({ ...DEFAULTS, ...options }, fakePluginDeps());

async function whole(text: string, options: Partial<Options> = {}): Promise<string> {
  const { edits } = await guardOf(options).check(fakeSegments('egress', [text]), fakeGuardContext({ stage: 'egress' }));
  return edits.reduceRight((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text);
}

/** The text released at each step, including the end of the channel. */
async function steps(pieces: readonly string[], options: Partial<Options> = {}): Promise<string[]> {
  const stream = guardOf(options).stream?.open(fakeGuardContext({ stage: 'egress' }));
  if (stream === undefined) throw new Error('it does not stream');
  const released: string[] = [];
  for (const text of pieces) released.push((await stream.push({ choice: 0, path: 'content', text })).release);
  released.push((await stream.end({ choice: 0, path: 'content' })).release);
  return released;
}

const inPieces = (text: string, lengths: readonly number[]): string[] => {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    const piece = text.slice(at, end).isWellFormed() ? text.slice(at, end) : text.slice(at, end + 1);
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
};

/** Inserts soft hyphens, as in text copied from web pages, or inserted to hide a secret. */
const veiled = (text: string): string => text.replace(/(?<=[A-Za-z0-9]{5})(?=[A-Za-z0-9])/, '\u200b').replace(/(?<=-)/, '\u00ad');

/** Secrets, halves of secrets, and surrounding text, in any order. */
const unit = fc.oneof(
  fc.constantFrom(...SAMPLES.map(([, , text]) => text)),
  fc.constantFrom(...SAMPLES.map(([, secret]) => secret)),
  fc.constantFrom(...SAMPLES.map(([, , text]) => veiled(text))),
  fc.constantFrom('\u200b', '\u2060'),
  fc.tuple(fc.constantFrom(...SAMPLES.map(([, , text]) => text)), fc.nat()).map(([text, at]) => text.slice(0, at % text.length)),
  fc.tuple(fc.constantFrom(...SAMPLES.map(([, secret]) => secret)), fc.nat()).map(([text, at]) => text.slice(at % text.length)),
  fc.constantFrom(
    ...CLEAN,
    'password',
    'token: ',
    '=',
    '"',
    ' ',
    '\n',
    '.',
    '😀',
    '-----',
    'eyJ',
    '-----END PRIVATE KEY-----',
    '://a:',
  ),
);
const texts = fc.array(unit, { maxLength: 6 }).map((units) => units.join(''));
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

describe('a stream of secrets', () => {
  test.each<[string, Partial<Options>]>([
    ['everything', {}],
    ['some values allowed', { allow_list: SAMPLES.filter((_, index) => index % 2 === 0).map(([, secret]) => secret) }],
  ])('gives the result of the whole text, with %s', async (_, options) => {
    await fc.assert(
      fc.asyncProperty(texts, lengths, async (text, cut) => {
        expect((await steps(inPieces(text, cut), options)).join('')).toBe(await whole(text, options));
      }),
    );
  });

  test('reports at once that a private key has begun, and holds back nothing of it', async () => {
    const lines = `-----BEGIN RSA PRIVATE KEY-----\n${KEY_LINES}\n${KEY_LINES}`.split(/(?<=\n)/);
    const released = await steps(['look: ', ...lines, '\n-----END RSA PRIVATE KEY-----\nThat was it, ', 'as I said']);
    expect(released.join('')).toBe('look: <PRIVATE_KEY>\nThat was it, as I said');
    expect(released.findIndex((text) => text.includes('<PRIVATE_KEY>'))).toBeLessThanOrEqual(3);
    expect(released.at(-3)).not.toBe('');
  });

  test('holds back nothing of plain text', async () => {
    const pieces = ['Nothing of ', 'this is ', 'kept, ', 'not even the end. '];
    expect((await steps(pieces)).slice(0, -1)).toEqual(pieces);
  });

  test('stops before the secret where the verdict is block', async () => {
    const token = `ghp_${disorder(36)}`;
    const stream = guardOf({ verdict: 'block' }).stream?.open(fakeGuardContext({ stage: 'egress' }));
    const pushed = await stream?.push({ choice: 0, path: 'content', text: `take ${token.slice(0, 20)}` });
    expect(pushed).toEqual({ release: 'take ' });
    const next = await stream?.push({ choice: 0, path: 'content', text: `${token.slice(20)} now` });
    expect(next).toEqual({ release: '', stop: { code: 'secret-found' } });
  });

  test('counts the text that was held back when the answer was cut short', async () => {
    const stream = guardOf().stream?.open(fakeGuardContext({ stage: 'egress' }));
    await stream?.push({ choice: 0, path: 'content', text: `take ghp_${disorder(36)}` });
    await stream?.push({ choice: 1, path: 'content', text: `password: ${disorder(20)}` });
    expect(await stream?.finish()).toMatchObject({
      verdict: 'sanitize',
      findings: [
        { entity_type: 'GITHUB_TOKEN', count: 1 },
        { entity_type: 'SECRET', count: 1 },
      ],
    });
  });
});
