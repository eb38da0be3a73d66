import type { GuardStream, JsonObject, StreamStep } from '@svc/sdk';
import { fakeGuardContext, fakeSegments } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SAMPLES } from './recognisers/samples.ts';
import { checked, guardOf, requestSegments } from './test-guard.ts';

const values = Object.values(SAMPLES).flatMap(({ found, passed }) => [
  ...found.map((sample) => sample.replace(/[[\]]/g, '')),
  ...passed,
]);
const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...values) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'My name is Ann Lee.',
      "Je m'appelle Thierry d'Aubigné",
      'Trekken de kinderen mee?',
      'Mein Name ist Anna Schneider',
      'nicht und auch',
      'and with the',
      '我叫 Peter',
      'Dr. Jane Smith',
      'Paris',
      'and',
      '12',
      'call',
      'card',
      'SSN',
      'order',
      'invoice 42',
      'SSN 123-45-6789 |',
      '212-456-7890',
      'name,order\nAnn,',
      '1. ',
      'Hey Claude',
      'Claude Monet',
      'is an AI assistant made by Anthropic',
      'ann@mail.internal',
      '😀',
      '<PERSON_1>',
      '<EMAIL',
      '\u200b',
      'jane%40example.com',
      '%',
      '%C3',
      'Ren%C3%A9',
      '%20',
      'an\u00adn@exam\u200bple.org',
      '4111\u200b 1111 11\u{e0061}11 1111',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }).map((text) => text.toWellFormed()) },
);
const text = fc
  .array(fc.tuple(fragment, fc.constantFrom(' ', '', '\n', '. ', ', ', '-')), { maxLength: 8 })
  .map((parts) => parts.flat().join(''));
const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });

function opened(written: object, state: JsonObject): GuardStream {
  const stream = guardOf(written).stream?.open(fakeGuardContext({ stage: 'egress', state }));
  if (stream === undefined) throw new Error('these options do not stream');
  return stream;
}

/** Streams the texts, one per choice, in pieces of these lengths: one choice after another, or interleaved. */
async function streamed(stream: GuardStream, texts: readonly string[], wanted: readonly number[], inTurns: boolean) {
  const released = texts.map(() => '');
  const take = (choice: number, { release }: StreamStep): void => {
    expect(release.isWellFormed()).toBe(true);
    released[choice] += release;
  };
  const queues = texts.map((whole) => piecesOf(whole, wanted));
  while (queues.some((queue) => queue.length > 0)) {
    for (const [choice, queue] of queues.entries()) {
      const pieces = inTurns ? queue.splice(0, 1) : queue.splice(0);
      for (const piece of pieces) take(choice, await stream.push({ choice, path: 'content', text: piece }));
    }
  }
  for (const choice of texts.keys()) take(choice, await stream.end({ choice, path: 'content' }));
  return { released, finish: await stream.finish() };
}

function piecesOf(whole: string, wanted: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < whole.length; ) {
    const end = at + (wanted[pieces.length % wanted.length] ?? 1);
    const piece = whole.slice(at, end).isWellFormed() ? whole.slice(at, end) : whole.slice(at, end + 1);
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}

const optionSets = [
  {},
  { extra_entities: ['DATE_TIME', 'URL', 'NRP', 'LOCATION', 'UK_NINO', 'US_DRIVER_LICENSE', 'CA_SIN'] },
  { restore: true },
  { languages: ['de', 'nl'], extra_entities: ['LOCATION'] },
];

describe('a stream of pii', () => {
  test.each(optionSets)('comes to what the whole answer becomes, with %j', async (written) => {
    await fc.assert(
      fc.asyncProperty(text, text, lengths, async (request, answer, wanted) => {
        const state: JsonObject = {};
        await checked(guardOf(written), 'ingress', requestSegments([['user', request]]), state);
        const stored = JSON.stringify(state);
        const whole = await checked(guardOf(written), 'egress', fakeSegments('egress', [answer]), JSON.parse(stored));
        const { released, finish } = await streamed(opened(written, JSON.parse(stored)), [answer], wanted, false);
        expect(released).toEqual(whole.texts);
        expect(finish).toMatchObject({ verdict: whole.verdict, code: whole.code, findings: whole.findings, edits: [] });
      }),
    );
  });

  test('comes to the same for several choices side by side, and the arguments of their calls', async () => {
    const choices = fc.array(fc.tuple(text, text), { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(text, choices, lengths, async (request, answers, wanted) => {
        const state: JsonObject = {};
        await checked(guardOf(), 'ingress', requestSegments([['user', request]]), state);
        const stored = JSON.stringify(state);
        const texts = fakeSegments(
          'egress',
          answers.map(([said]) => said),
        );
        const calls = fakeSegments(
          'egress',
          answers.map(([, argument]) => argument),
        ).map((segment, choice) => ({
          ...segment,
          kind: 'argument' as const,
          path: `choices.${choice}.message.tool_calls.0.function.arguments.0`,
        }));
        // The order is that of a whole answer: the text of each choice comes before its tool calls.
        const all = texts
          .flatMap((segment, n) => [segment, ...calls.slice(n, n + 1)])
          .map((segment, index) => ({ ...segment, index }));
        const whole = await checked(guardOf(), 'egress', all, JSON.parse(stored));
        const stream = opened({}, JSON.parse(stored));
        const { released } = await streamed(
          stream,
          answers.map(([said]) => said),
          wanted,
          true,
        );
        expect(released).toEqual(whole.texts.filter((_, n) => n % 2 === 0));
        const { edits } = await stream.complete(calls.map((segment, index) => ({ ...segment, index })));
        const inCalls = whole.edits.filter(({ segment }) => segment % 2 === 1);
        expect(edits).toEqual(inCalls.map((edit) => ({ ...edit, segment: (edit.segment - 1) / 2 })));
      }),
    );
  });

  test('keeps a choice waiting only from its first new value on, and for a block not at all', async () => {
    const state: JsonObject = {};
    await checked(guardOf(), 'ingress', requestSegments([['user', 'I am ann@example.org']]), state);
    const push = async (stream: GuardStream, said: string) => stream.push({ choice: 1, path: 'content', text: said });
    const stream = opened({}, state);
    expect(await push(stream, 'ann@example.org, and bob@example.org, and more. ')).toEqual({
      release: '<EMAIL_ADDRESS_1>, and ',
    });
    expect(await stream.end({ choice: 1, path: 'content' })).toEqual({ release: '<EMAIL_ADDRESS_2>, and more. ' });
    const blocking = opened({ verdict: 'block' }, {});
    expect(await push(blocking, 'to bob@example.org, ')).toEqual({ release: '', stop: { code: 'pii' } });
  });

  test('judges tool-call arguments with the placeholders of the text before them', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, lengths, async (answer, argument, wanted) => {
        const whole = await checked(guardOf(), 'egress', fakeSegments('egress', [answer, argument]), {});
        const stream = opened({}, {});
        const { released } = await streamedText(stream, answer, wanted);
        const { edits } = await stream.complete(fakeSegments('egress', [argument]));
        expect([released, edits.map(({ replacement }) => replacement)]).toEqual([
          whole.texts[0],
          whole.edits.filter(({ segment }) => segment === 1).map(({ replacement }) => replacement),
        ]);
      }),
    );
  });

  test('stops a block before the first character of what it refuses', async () => {
    const stream = opened({ verdict: 'block' }, {});
    let released = '';
    let stop: StreamStep['stop'];
    for (const letter of 'write to ann@example.org now') {
      const step = await stream.push({ choice: 0, path: 'content', text: letter });
      released += step.release;
      stop ??= step.stop;
      if (stop !== undefined) break;
    }
    expect({ released, stop }).toEqual({ released: 'write to ', stop: { code: 'pii' } });
  });

  test('lets text flow unchanged where it judges afterwards', async () => {
    const { released, finish } = await streamed(
      opened({ verdict: 'block', stream: 'post' }, {}),
      ['to ann@example.org now'],
      [3],
      false,
    );
    expect({ released, verdict: finish.verdict }).toEqual({ released: ['to ann@example.org now'], verdict: 'block' });
  });

  test('judges what it holds of an answer that was cut short, and never releases it', async () => {
    const stream = opened({}, {});
    const step = await stream.push({ choice: 0, path: 'content', text: 'write to ann@example.org' });
    expect(step.release).toBe('write to ');
    expect(await stream.finish()).toMatchObject({ verdict: 'sanitize', findings: [{ entity_type: 'EMAIL_ADDRESS', count: 1 }] });
  });

  test('restores what complete parts hold, such as the arguments of tool calls', async () => {
    const state: JsonObject = {};
    await checked(guardOf({ restore: true }), 'ingress', requestSegments([['user', 'I am ann@example.org']]), state);
    const { edits } = await opened({ restore: true }, state).complete(fakeSegments('egress', ['<EMAIL_ADDRESS_1>']));
    expect(edits.map(({ replacement }) => replacement)).toEqual(['ann@example.org']);
  });

  test('has the code of the whole answer where the text only restores, and other parts hold more', async () => {
    const state: JsonObject = {};
    await checked(guardOf({ restore: true }), 'ingress', requestSegments([['user', 'I am ann@example.org']]), state);
    const stream = opened({ restore: true }, state);
    await stream.push({ choice: 0, path: 'content', text: 'hello <EMAIL_ADDRESS_1>' });
    await stream.end({ choice: 0, path: 'content' });
    expect(await stream.complete(fakeSegments('egress', ['bob@example.org']))).toMatchObject({
      verdict: 'sanitize',
      code: 'pii',
    });
    expect(await stream.finish()).toMatchObject({ verdict: 'sanitize', code: 'pii', findings: [] });
  });

  test('takes a large piece in slices, and can be stopped between them', async () => {
    const answer = 'write to ann@example.org, or to 4111 1111 1111 1111 😀 '.repeat(2000);
    const whole = await checked(guardOf(), 'egress', fakeSegments('egress', [answer]), {});
    const { released } = await streamed(opened({}, {}), [answer], [answer.length], false);
    expect(released).toEqual(whole.texts);
    const given_up = fakeGuardContext({ stage: 'egress', signal: AbortSignal.abort() });
    const stream = guardOf().stream?.open(given_up);
    await expect(stream?.push({ choice: 0, path: 'content', text: answer })).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('holds back few characters of plain text', async () => {
    const plain =
      'The quick brown fox jumps over the lazy dog, and then it sleeps under a tree until it is evening again. '.repeat(10);
    for (const written of [{ exclude: ['PERSON'] }, {}]) {
      const stream = opened(written, {});
      let out = 0;
      let held = 0;
      for (const [index, letter] of [...plain].entries()) {
        out += (await stream.push({ choice: 0, path: 'content', text: letter })).release.length;
        held += index + 1 - out;
      }
      expect(held / plain.length).toBeLessThanOrEqual(3);
    }
  });

  test('restores a placeholder that comes in pieces', async () => {
    const state: JsonObject = {};
    await checked(guardOf({ restore: true }), 'ingress', requestSegments([['user', 'I am ann@example.org']]), state);
    const { released } = await streamed(
      opened({ restore: true }, state),
      ['hello <EMAIL_ADDRESS_1>, or <EMAIL_ADDRESS_2'],
      [1],
      false,
    );
    expect(released).toEqual(['hello ann@example.org, or <EMAIL_ADDRESS_2']);
  });
});

async function streamedText(stream: GuardStream, answer: string, wanted: readonly number[]) {
  let released = '';
  for (const piece of piecesOf(answer, wanted))
    released += (await stream.push({ choice: 0, path: 'content', text: piece })).release;
  released += (await stream.end({ choice: 0, path: 'content' })).release;
  return { released };
}
