import type { ChatCompletionChunk, GuardStream } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENV, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { call, streamed } from './test-live-call.ts';
import { chunkOf, endChunk, lineOf, streaming, textChunk, textOf, USAGE, USAGE_CHUNK, wordGuard } from './test-parts.ts';

const said = (...texts: string[]): ChatCompletionChunk[] => [...texts.map((text) => textChunk(text)), endChunk(), USAGE_CHUNK];

describe('a streamed answer', () => {
  it('is sent as it arrives, except its end', async () => {
    const { end, line, run } = await call(() => said('one ', 'two'));
    expect(end).toEqual({ kind: 'answered' });
    expect(line.frames.map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { content: 'one ' }, finish_reason: null }],
      [{ index: 0, delta: { content: 'two' }, finish_reason: null }],
    ]);
    expect(line.tail).toMatchObject([
      { model: 'default', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: USAGE },
    ]);
    expect(run.spend).toMatchObject([{ usage: { input_tokens: 3, output_tokens: 2, estimated: false } }]);
    expect(run.events).toMatchObject([{ event_type: 'provider_call', data: { outcome: 'answered', finish_reason: 'stop' } }]);
  });

  it('gets the end and the usage that its provider does not send', async () => {
    const { line } = await call(() => [textChunk('one'), textChunk('two', 1)]);
    expect(line.tail?.map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: {}, finish_reason: 'stop' }],
      [{ index: 1, delta: {}, finish_reason: 'stop' }],
      [],
    ]);
    expect(line.tail?.at(-1)).toMatchObject({ usage: { completion_tokens: expect.any(Number) } });
  });

  it('takes the last one of running totals', async () => {
    const early = chunkOf([{ index: 0, delta: { content: 'one' }, finish_reason: null }], {
      usage: { ...USAGE, completion_tokens: 1, total_tokens: 4 },
    });
    const { run } = await call(() => [early, endChunk(), USAGE_CHUNK]);
    expect(run.spend).toMatchObject([{ usage: { output_tokens: 2 } }]);
  });

  it('counts its usage if the provider does not report it', async () => {
    const { run } = await call(() => [textChunk('a few words'), endChunk()]);
    expect(run.spend[0]?.usage).toMatchObject({ estimated: true });
    expect(run.spend[0]?.usage.output_tokens).toBeGreaterThan(0);
  });

  it('passes unknown fields if no guard reads them', async () => {
    const choice = { index: 0, delta: { content: 'one', new_field: 'x' }, finish_reason: null, logprobs: { content: [] } };
    const { line } = await call(() => [chunkOf([choice]), endChunk()]);
    expect(line.frames[0]?.choices[0]).toMatchObject({ delta: { new_field: 'x' }, logprobs: { content: [] } });
  });

  it.each(['open', 'guarded'])(
    'keeps only the known parts of fields that are sent once, on a route that is %s',
    async (route) => {
      const guards = route === 'open' ? [] : [wordGuard('secret', 'sanitize')];
      const long = 'x'.repeat(300_000);
      for (const hostile of [endChunk(0, long), chunkOf([], { usage: { ...USAGE, more: long } as typeof USAGE })]) {
        const { end } = await call(() => [hostile, ...said('one')], guards);
        expect(end.kind).toBe('failed');
      }
    },
  );

  it('accepts the same field again and again', async () => {
    const chunks = Array.from({ length: 20_000 }, (_, n) => chunkOf([], { at: n }));
    const { end, line } = await call(() => [...chunks, ...said('one')]);
    expect(end).toEqual({ kind: 'answered' });
    expect(line.frames).toHaveLength(20_001);
  });

  it('shows unknown fields to a guard, and leaves out repetitions of the text', async () => {
    const choice = { index: 0, delta: { content: 'one', new_field: 'a sec' }, finish_reason: null, logprobs: { content: [] } };
    const next = { index: 0, delta: { new_field: 'ret' }, finish_reason: null, of_a_choice: 'secret' };
    const { line, run } = await call(
      () => [chunkOf([choice], { of_all: 'secret' }), chunkOf([next]), endChunk()],
      [wordGuard('secret', 'sanitize')],
    );
    expect(JSON.stringify(line.frames)).not.toMatch(/secret|"ret|token/);
    expect(line.frames[0]).toMatchObject({ of_all: '<MASKED>', choices: [{ logprobs: null }] });
    expect(textOf(line.frames, 0, 'new_field')).toBe('a <MASKED>');
    expect(run.events[0]).toMatchObject({ event_type: 'provider_call', data: { left_out: ['choices.logprobs'] } });
    expect(textOf(line.frames)).toBe('one');
  });

  it('keeps the answer as it was sent, if answers are stored', async () => {
    const { run } = await call(() => said('a sec', 'ret'), [wordGuard('secret', 'sanitize')], lineOf({ keep: true }));
    expect(run.completion).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'a <MASKED>' }, finish_reason: 'stop' }],
      usage: USAGE,
    });
  });

  it('waits for a slow reader before it asks the provider for more', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const line = lineOf({
      sink: {
        ready: () => undefined,
        write: (frame) => {
          order.push(textOf([frame as ChatCompletionChunk]));
          return order.length === 1 ? gate.promise.then(() => void order.push('read')) : undefined;
        },
      },
    });
    const ended = call(
      function* () {
        yield textChunk('one');
        order.push('asked for more');
        yield textChunk('two');
        yield endChunk();
      },
      [],
      line,
    );
    gate.resolve();
    await ended;
    expect(order).toEqual(['one', 'read', 'asked for more', 'two']);
  });
});

it('a call that ended normally is not aborted: its connection serves the next', async () => {
  let aborted = false;
  const { provider } = streaming(() => said('one'));
  const stream = provider.stream;
  provider.stream = (request, context) => {
    context.signal.addEventListener('abort', () => {
      aborted = true;
    });
    return stream(request, context);
  };
  const route = routeOf({ provider });
  const [endpoint] = route.endpoints;
  expect(endpoint && (await callLive(runOf(route), endpoint, lineOf(), ENV))).toEqual({ kind: 'answered' });
  expect(aborted).toBe(false);
});

describe('tool calls', () => {
  const pieces: ChatCompletionChunk[] = [
    { index: 0, id: 'call-1', type: 'function', function: { name: 'mail', arguments: '' } },
    { index: 1, id: 'call-2', type: 'function', function: { name: 'note', arguments: '{"text":' } },
    { index: 0, function: { arguments: '{"to":"sec' } },
    { index: 1, function: { arguments: '"hi"}' } },
    { index: 0, function: { arguments: 'ret"}' } },
  ].map((call) => chunkOf([{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }]));

  it('are sent piece by piece if no guard reads them', async () => {
    const { line } = await call(() => [...pieces, endChunk(0, 'tool_calls')]);
    expect(line.frames).toHaveLength(pieces.length);
  });

  it('are sent whole and edited if a guard reads them', async () => {
    const { line, run } = await call(() => [...pieces, endChunk(0, 'tool_calls')], [wordGuard('secret', 'sanitize')]);
    expect(line.frames.map(({ choices }) => choices[0]?.delta)).toEqual([
      {
        tool_calls: [
          { index: 0, id: 'call-1', type: 'function', function: { name: 'mail', arguments: '{"to":"<MASKED>"}' } },
          { index: 1, id: 'call-2', type: 'function', function: { name: 'note', arguments: '{"text":"hi"}' } },
        ],
      },
    ]);
    expect(run.events.at(-1)).toMatchObject({
      event_type: 'verdict',
      stage: 'egress',
      data: { verdict: 'sanitize', mode: 'window', findings: [{ entity_type: 'secret', count: 1 }] },
    });
  });

  it('are not sent if a guard refuses them or judges late', async () => {
    for (const guard of [wordGuard('secret', 'block'), wordGuard('gone', 'block', 'post')]) {
      const { line, end } = await call(() => [textChunk('gone '), ...pieces, endChunk(0, 'tool_calls')], [guard]);
      expect(end).toMatchObject({ kind: 'stopped', stop: { kind: 'blocked', stage: 'egress', node: 'node-0' } });
      expect(JSON.stringify(line.frames)).not.toContain('call-1');
    }
  });
});

describe('a violation', () => {
  it('ends the stream, the upstream call and every choice', async () => {
    const chunks = [
      textChunk('fine '),
      textChunk('ok ', 1),
      textChunk('att'),
      textChunk('ack and more'),
      endChunk(),
      endChunk(1),
    ];
    const { end, line, run, upstream } = await call(() => chunks, [wordGuard('attack', 'block')]);
    expect(end).toEqual({ kind: 'stopped', stop: { kind: 'blocked', stage: 'egress', node: 'node-0', code: 'attack' } });
    expect(line.tail).toEqual([{ svc_event: 'stream_violation' }]);
    expect(upstream.left).toBe(1);
    expect(run.events).toMatchObject([
      { event_type: 'provider_call', data: { outcome: 'cut', usage: { estimated: true } } },
      {
        event_type: 'verdict',
        data: { verdict: 'block', code: 'attack', mode: 'window', findings: [{ entity_type: 'attack', count: 1 }] },
      },
    ]);
  });

  it('counts even if the node can no longer report its findings', async () => {
    const finish = () => Promise.reject(new Error('secret'));
    const guard = streamed(wordGuard('attack', 'block'), () => ({ finish }));
    const { end, run } = await call(() => said('an attack'), [guard]);
    expect(end).toMatchObject({ kind: 'stopped', stop: { code: 'attack' } });
    expect(run.events.at(-1)).toMatchObject({ data: { verdict: 'block', code: 'attack', findings: [] } });
  });

  it('that is found after the text was sent is a late one', async () => {
    const { end, line } = await call(() => said('an attack'), [wordGuard('attack', 'block', 'post')]);
    expect(end).toMatchObject({ kind: 'stopped', stop: { kind: 'blocked', code: 'attack' } });
    expect(textOf(line.frames)).toBe('an attack');
    expect(line.tail).toEqual([{ svc_event: 'late_violation' }]);
  });

  it('is recorded next to the results of the other nodes up to then', async () => {
    const guards = [wordGuard('secret', 'sanitize'), wordGuard('attack', 'block')];
    const { run } = await call(() => said('secret attack'), guards);
    expect(run.events.slice(1)).toMatchObject([
      { node: 'node-0', data: { verdict: 'sanitize', findings: [{ entity_type: 'secret', count: 1 }] } },
      { node: 'node-1', data: { verdict: 'block', code: 'attack' } },
    ]);
  });

  it.each<[string, Partial<GuardStream>, string]>([
    ['throws', { push: () => Promise.reject(new Error('secret')) }, 'threw'],
    ['answers rubbish', { push: () => ({ release: 7 }) as never }, 'invalid'],
    ['releases half a character', { push: () => ({ release: '\ud800' }) }, 'invalid'],
    ['fails at the end', { finish: () => ({ verdict: 'maybe' }) as never }, 'invalid'],
  ])('is a node that %s', async (_what, broken, failure) => {
    const failing = streamed(wordGuard('attack', 'block'), () => broken);
    const { end, run } = await call(() => said('one ', 'two and three'), [failing]);
    expect(end).toMatchObject({ kind: 'stopped', stop: { kind: 'blocked', code: 'SVC-NODE-001' } });
    expect(run.events.at(-1)).toMatchObject({ data: { verdict: 'block', code: 'SVC-NODE-001', failure } });
  });

  it('of a node that only observes changes nothing', async () => {
    const upstream = streaming(() => said('an att', 'ack'));
    const node = nodeOf('watching', wordGuard('attack', 'block'), { mode: 'observe', on_error: 'require_approval' });
    const route = routeOf({ provider: upstream.provider, egress: [node] });
    const run = runOf(route);
    const line = lineOf();
    const [endpoint] = route.endpoints;
    expect(endpoint && (await callLive(run, endpoint, line, ENV))).toEqual({ kind: 'answered' });
    expect(textOf(line.frames)).toBe('an attack');
    expect(run.events.at(-1)).toMatchObject({ event_type: 'observed', data: { verdict: 'block', code: 'attack' } });
  });

  it('never shows a character of the match and gives the same result as a whole answer, wherever the text is cut', async () => {
    const piece = fc.constantFrom('attack', 'secret', 'att', 'ack', 'sec', 'ret', 'a', 's', ' ', '😀', 'é');
    const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), async (whole, cuts) => {
        const characters = [...whole];
        const pieces: ChatCompletionChunk[] = [];
        for (let at = 0, i = 0; at < characters.length; i += 1) {
          const length = cuts[i % cuts.length] ?? 1;
          pieces.push(textChunk(characters.slice(at, at + length).join('')));
          at += length;
        }
        const guards = [wordGuard('secret', 'sanitize'), wordGuard('attack', 'block')];
        const { end, line } = await call(() => [...pieces, endChunk()], guards);
        const masked = whole.replaceAll('secret', '<MASKED>');
        const match = masked.indexOf('attack');
        const left = textOf(line.frames);
        if (match < 0) expect([end.kind, left]).toEqual(['answered', masked]);
        else {
          expect(end.kind).toBe('stopped');
          expect(masked.slice(0, match).startsWith(left)).toBe(true);
        }
      }),
    );
  });
});
