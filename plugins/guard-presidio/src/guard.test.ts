import type { JsonValue } from '@svc/sdk';
import { behaviours, fakeGuardContext, fakeLogger, fakePluginDeps, fakeSegments, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzer, answering } from './analyzer-fixture.ts';
import presidio from './index.ts';
import type { Options } from './options.ts';
import { options } from './test-options.ts';

let service: Upstream;
beforeAll(async () => {
  service = await analyzer();
});
afterAll(() => service.close());

const ALICE = 'alice@example.com';

function guardOf(more: Partial<Options> = {}) {
  const logger = fakeLogger();
  const guard = presidio.create(options(service, more), { ...fakePluginDeps(), logger, name: 'presidio' });
  const check = (...texts: string[]) => guard.check(fakeSegments('ingress', texts), fakeGuardContext());
  return { guard, logger, check };
}

function edited(
  texts: readonly string[],
  edits: readonly { segment: number; start: number; end: number; replacement: string }[],
): string[] {
  return texts.map((text, index) =>
    edits
      .filter(({ segment }) => segment === index)
      .toSorted((a, b) => b.start - a.start)
      .reduce((whole, { start, end, replacement }) => whole.slice(0, start) + replacement + whole.slice(end), text),
  );
}

describe('positions', () => {
  it.each([
    ['plain', [`to ${ALICE}!`], ['to <EMAIL_ADDRESS_1>!']],
    ['after emoji', [`😀👩‍👩‍👧 to ${ALICE} 😀`], ['😀👩‍👩‍👧 to <EMAIL_ADDRESS_1> 😀']],
    [
      'in several texts',
      [`${ALICE} 😀`, 'none', `bob@example.com and ${ALICE}`],
      ['<EMAIL_ADDRESS_1> 😀', 'none', '<EMAIL_ADDRESS_2> and <EMAIL_ADDRESS_1>'],
    ],
    [
      'beside what looks like a placeholder',
      [`<EMAIL_ADDRESS_1> is not ${ALICE}`],
      ['<EMAIL_ADDRESS_1> is not <EMAIL_ADDRESS_2>'],
    ],
    ['far into a long text', [`${'😀 '.repeat(3_000)}${ALICE}`], [`${'😀 '.repeat(3_000)}<EMAIL_ADDRESS_1>`]],
    [
      'at the end of the part of a long text',
      [`${'x '.repeat(995)}${ALICE} ${'y '.repeat(900)}`],
      [`${'x '.repeat(995)}<EMAIL_ADDRESS_1> ${'y '.repeat(900)}`],
    ],
  ])('%s', async (_what, texts, expected) => {
    const { edits, verdict } = await guardOf().check(...texts);
    expect([verdict, edited(texts, edits)]).toEqual(['sanitize', expected]);
  });

  it('every text is sent, and none of them is longer than it may be', async () => {
    const before = service.requests.length;
    const texts = [...Array.from({ length: 300 }, (_, i) => `text-${i}.`), 'z'.repeat(7_001)];
    await guardOf().check(...texts);
    const sent = service.requests.slice(before).map(({ body }) => (body as { text: string }).text);
    expect(sent.every(({ length }) => length <= 2_000)).toBe(true);
    for (const text of texts.slice(0, 300)) expect(sent.some((each) => each.includes(text))).toBe(true);
    expect(sent.join('').replace(/[^z]/g, '').length).toBeGreaterThanOrEqual(7_001);
  });
});

describe('entities', () => {
  it('each have their action and threshold; the strictest counts, and masks stay', async () => {
    const entities = {
      EMAIL_ADDRESS: { action: 'mask' },
      CREDIT_CARD: { action: 'block' },
      AGE: { action: 'require_approval', threshold: 0.7 },
    } as const;
    const { check } = guardOf({ entities });
    expect(await check('aged 40')).toMatchObject({ verdict: 'allow', findings: [] });
    expect(await check(`${ALICE} 4111111111111111`)).toMatchObject({
      verdict: 'block',
      edits: [{ replacement: '<EMAIL_ADDRESS_1>' }],
      findings: [
        { entity_type: 'EMAIL_ADDRESS', count: 1 },
        { entity_type: 'CREDIT_CARD', count: 1 },
      ],
    });
    expect(service.requests.at(-1)?.body).toMatchObject({
      entities: Object.keys(entities),
      score_threshold: 0.5,
      language: 'en',
    });
  });

  it('that are allowed are recorded and stay', async () => {
    expect(await guardOf({ entities: { AGE: { action: 'allow' } } }).check('aged 40')).toEqual({
      verdict: 'allow',
      code: 'no-pii',
      edits: [],
      findings: [{ entity_type: 'AGE', count: 1 }],
    });
  });

  it('are searched for in each language, and counted once', async () => {
    const before = service.requests.length;
    const { findings } = await guardOf({ languages: ['en', 'de'] }).check(ALICE);
    expect(findings).toEqual([{ entity_type: 'EMAIL_ADDRESS', count: 1 }]);
    expect(service.requests.slice(before).map(({ body }) => (body as { language: string }).language)).toEqual(['en', 'de']);
  });
});

describe('without a verdict it throws, and logs why without any text', () => {
  const finding = { entity_type: 'PERSON', start: 0, end: 2, score: 1 };
  it.each<[string, JsonValue]>([
    ['an error', { error: 'SECRET-MARKER' }],
    ['a finding without an end', [{ ...finding, end: undefined as never }]],
    ['a finding behind the text', [{ ...finding, end: 99 }]],
    ['an empty finding', [{ ...finding, end: 0 }]],
    ['a score that is none', [{ ...finding, score: 2 }]],
    ['a name that is text', [{ ...finding, entity_type: 'SECRET-MARKER is one' }]],
  ])('%s', async (_what, answer) => {
    service.respond(answering(answer));
    const { check, logger } = guardOf();
    await expect(check('SECRET-MARKER')).rejects.toThrow();
    expect(logger.lines.map(({ fields }) => fields)).toMatchObject([
      { event: 'guard_request_failed', node: 'presidio', reason: 'no-verdict' },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain('SECRET-MARKER');
  });

  it.each([
    ['status 500', behaviours.failure(500), { status: 500 }],
    ['no JSON', behaviours.raw(200, behaviours.JSON_HEADERS, '<html>SECRET-MARKER'), {}],
    ['too much', answering(Array.from({ length: 40_000 }, () => finding)), {}],
  ])('%s', async (_what, behaviour, fields) => {
    service.respond(behaviour);
    const { check, logger } = guardOf();
    await expect(check('SECRET-MARKER')).rejects.toThrow();
    expect(logger.lines.map((line) => line.fields)).toMatchObject([{ event: 'guard_request_failed', ...fields }]);
    expect(JSON.stringify(logger.lines)).not.toContain('SECRET-MARKER');
  });

  it('no server that listens', async () => {
    const { check, logger } = guardOf({ base_url: 'http://127.0.0.1:1' });
    await expect(check('hello')).rejects.toThrow();
    expect(logger.lines.at(-1)?.fields).toMatchObject({ reason: 'ECONNREFUSED' });
  });
});
