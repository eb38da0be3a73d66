import type { ChatRequest, Clock, GuardContext, Segment } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { callEnv } from '../../kernel/kernel/src/calls/call-env.ts';
import type { PipelineRun } from '../../kernel/kernel/src/runs/pipeline-run.ts';
import type { PipelineNode } from '../../kernel/kernel/src/runs/route.ts';
import { askNode, runStage } from '../../kernel/kernel/src/runs/stage.ts';
import {
  ALLOW,
  answerOf,
  ENV,
  guardOf,
  handClock,
  nodeOf,
  replacing,
  routeOf,
  runOf,
} from '../../kernel/runtime/src/test-parts.ts';
import { collectRequest } from '../../kernel/runtime/src/texts/test-parts.ts';

const NOBODY = (): boolean => false;

/** A node that allows, and what it was shown. */
function spy(
  name: string,
  fields: Partial<PipelineNode> = {},
): { node: PipelineNode; seen: string[][]; contexts: GuardContext[] } {
  const seen: string[][] = [];
  const contexts: GuardContext[] = [];
  const guard = guardOf((segments, ctx) => {
    seen.push(segments.map(({ text }) => text));
    contexts.push(ctx);
    return ALLOW;
  });
  return { node: nodeOf(name, guard, fields), seen, contexts };
}

const ingress = (run: PipelineRun, resumed_at: number | null = null, approved: (node: string) => boolean = NOBODY) =>
  runStage(run, 'ingress', resumed_at, approved, ENV);
const egress = (run: PipelineRun) => runStage(run, 'egress', null, NOBODY, ENV);
const verdicts = (run: PipelineRun): unknown[] =>
  run.events.map(({ event_type, node, data }) => [event_type, node, data.verdict]);

describe('edits', () => {
  it('of a node are in the payload, and the next node sees them', async () => {
    const next = spy('next');
    const run = runOf(routeOf({ ingress: [nodeOf('mask', replacing('secret', '<X>')), next.node] }), 'a secret, a secret');
    expect(await ingress(run)).toBeNull();
    expect(run.request.messages).toEqual([{ role: 'user', content: 'a <X>, a <X>' }]);
    expect(next.seen).toEqual([['a <X>, a <X>']]);
    expect(run.events[0]?.data.findings).toEqual([{ entity_type: 'WORD', count: 2 }]);
  });

  it.each([
    ['require_approval', 'paused'],
    ['block', 'blocked'],
  ] as const)('are applied before a verdict of %s takes effect', async (verdict, kind) => {
    const next = spy('next');
    const run = runOf(routeOf({ ingress: [nodeOf('strict', replacing('secret', '<X>', verdict)), next.node] }), 'a secret');
    expect(await ingress(run)).toMatchObject({ kind, stage: 'ingress', node: 'strict', code: 'replaced' });
    expect(run.request.messages[0]?.content).toBe('a <X>');
    expect(next.seen).toEqual([]);
  });

  it('of two nodes are applied one after the other', async () => {
    const nodes = [nodeOf('a', replacing('one', 'two')), nodeOf('b', replacing('two', 'three'))];
    const run = runOf(routeOf({ ingress: nodes }), 'one two');
    await ingress(run);
    expect(run.request.messages[0]?.content).toBe('three three');
  });

  it('reach every choice of an answer, and tool-call arguments stay JSON', async () => {
    const run = runOf(routeOf({ egress: [nodeOf('mask', replacing('secret', '"<X>"'))] }));
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": "a secret"}' } };
    const answer = answerOf('secret');
    answer.choices.push({ index: 1, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'stop' });
    run.completion = answer;
    expect(await egress(run)).toBeNull();
    expect(run.completion.choices[0]?.message.content).toBe('"<X>"');
    const written = run.completion.choices[1]?.message.tool_calls?.[0]?.function?.arguments ?? '';
    expect(JSON.parse(written)).toEqual({ a: 'a "<X>"' });
  });
});

describe('many edits', () => {
  const many = 'secret '.repeat(5_000);
  const masking = nodeOf('mask', replacing('secret', '<X>'));
  const ask = (content: string, fields: Partial<PipelineNode>, clock: Clock) => {
    const run = runOf(routeOf({ ingress: [masking] }), content);
    const payload = collectRequest(run.request);
    const asking = askNode(run, { ...masking, ...fields }, 'ingress', payload, { ...callEnv(run, 'ingress', ENV), clock });
    return { run, asking };
  };

  it.each(['enforce', 'observe'] as const)(
    'are checked and applied in turns, so that others get turns in between (%s)',
    async (mode) => {
      let time = 0;
      // Each turn is over as soon as it is asked.
      const clock = { now: () => 0, monotonic: () => (time += 5) };
      let turns = 0;
      const count = (): void => {
        turns += 1;
        counting = setImmediate(count);
      };
      let counting = setImmediate(count);
      const { run, asking } = ask(many, { mode, timeout_ms: 60_000 }, clock);
      expect(asking).toBeInstanceOf(Promise);
      expect(await asking).toMatchObject({ verdict: 'sanitize', failure: null });
      clearImmediate(counting);
      expect(turns).toBeGreaterThan(2 * Math.floor(5_000 / 512));
      expect(run.request.messages[0]?.content).toBe(mode === 'observe' ? many : '<X> '.repeat(5_000));
    },
  );

  it('of many members of an object are made in turns, in their order', () => {
    const metadata = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`secret ${n}`, `${n}`]));
    const request = { model: 'm', messages: [], metadata: structuredClone(metadata) };
    const payload = collectRequest(request);
    const segments = payload.segments(payload.leaves);
    const edits = segments.flatMap(({ index, kind }) =>
      kind === 'key' ? [{ segment: index, start: 0, end: 6, replacement: '<X>' }] : [],
    );
    expect([...payload.edit(edits, { leaves: payload.leaves, segments })].length).toBeGreaterThan(3 * 3_000);
    expect(Object.entries(request.metadata)).toEqual(
      Object.entries(metadata).map(([key, value]) => [key.replace('secret', '<X>'), value]),
    );
  });

  it('are applied at once if they are few', () => {
    const { run, asking } = ask('a secret', {}, handClock());
    expect(asking).toMatchObject({ verdict: 'sanitize' });
    expect(run.request.messages[0]?.content).toBe('a <X>');
  });

  it.each(['enforce', 'observe'] as const)('are not applied if one of them is invalid (%s)', async (mode) => {
    const { guard } = masking;
    const broken = guardOf(async (segments, ctx) => {
      const { edits, ...result } = await guard.check(segments, ctx);
      return { ...result, edits: [...edits, { ...edits.at(-1), end: 1e9 }] };
    });
    const { run, asking } = ask(many, { mode, guard: broken }, handClock());
    expect(await asking).toMatchObject({ verdict: 'block', failure: 'invalid', code: 'SVC-NODE-001' });
    expect(run.request.messages[0]?.content).toBe(many);
  });
});

describe('mode: observe', () => {
  it.each(['sanitize', 'require_approval', 'block'] as const)('records %s, changes nothing and continues', async (verdict) => {
    const next = spy('next');
    const watching = nodeOf('watching', replacing('secret', '<X>', verdict), { mode: 'observe' });
    const run = runOf(routeOf({ ingress: [watching, next.node] }), 'a secret');
    expect(await ingress(run)).toBeNull();
    expect(run.request.messages[0]?.content).toBe('a secret');
    expect(next.seen).toEqual([['a secret']]);
    expect(verdicts(run)).toEqual([
      ['observed', 'watching', verdict],
      ['verdict', 'next', 'allow'],
    ]);
  });

  it('is passed to the guard', async () => {
    const watching = spy('watching', { mode: 'observe' });
    await ingress(runOf(routeOf({ ingress: [watching.node] })));
    expect(watching.contexts[0]?.mode).toBe('observe');
  });
});

describe('scope', () => {
  const conversation: ChatRequest['messages'] = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'reply' },
    { role: 'user', content: 'second' },
    { role: 'tool', tool_call_id: 'c1', content: 'result' },
  ];

  it('new checks only messages after the last assistant message, all checks everything', async () => {
    const all = spy('all');
    const fresh = spy('fresh', { scope: 'new' });
    await ingress(runOf(routeOf({ ingress: [all.node, fresh.node] }), structuredClone(conversation)));
    expect(all.seen).toEqual([['first', 'reply', 'second', 'c1', 'result']]);
    expect(fresh.seen).toEqual([['second', 'c1', 'result']]);
  });

  it('new equals all without an assistant message', async () => {
    const fresh = spy('fresh', { scope: 'new' });
    await ingress(runOf(routeOf({ ingress: [fresh.node] }), 'hello'));
    expect(fresh.seen).toEqual([['hello']]);
  });

  it('new edits the right message', async () => {
    const node = nodeOf('mask', replacing('(first|second)', '<X>'), { scope: 'new' });
    const run = runOf(routeOf({ ingress: [node] }), structuredClone(conversation));
    await ingress(run);
    expect(run.request.messages.map(({ content }) => content)).toEqual(['first', 'reply', '<X>', 'result']);
  });

  it('makes no difference to an answer', async () => {
    const fresh = spy('fresh', { scope: 'new' });
    const run = runOf(routeOf({ egress: [fresh.node] }));
    run.completion = answerOf('answer');
    await egress(run);
    expect(fresh.seen).toEqual([['answer']]);
  });
});

it('a number that a guard masked is not a limit for later guards', async () => {
  const next = spy('next');
  const masks = { ...replacing('4111111111111111', '<CARD>'), reads_numbers: true } as const;
  const run = runOf(routeOf({ ingress: [nodeOf('mask', masks), next.node] }));
  run.request.max_tokens = 4_111_111_111_111_111;
  await ingress(run);
  expect(run.request.max_tokens).toBe('<CARD>');
  expect(next.contexts[0]?.max_output_tokens).toBeNull();
});

describe('unscannable', () => {
  const image: ChatRequest['messages'] = [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
  ];
  const skipped = [{ path: 'messages.0.content.0.image_url.url', why: 'image' }];

  it.each([
    ['block', 'blocked'],
    ['require_approval', 'paused'],
  ] as const)('%s stops an image before any node is asked', async (unscannable, kind) => {
    const node = spy('node');
    const run = runOf(routeOf({ unscannable, ingress: [node.node] }), structuredClone(image));
    expect(await ingress(run)).toMatchObject({ kind, node: 'unscannable' });
    expect(node.seen).toEqual([]);
    expect(run.events[0]?.data).toMatchObject({ verdict: unscannable, scanned: { segments: 0, skipped } });
  });

  it('pass lists unchecked parts', async () => {
    const run = runOf(routeOf({ ingress: [spy('node').node] }), structuredClone(image));
    expect(await ingress(run)).toBeNull();
    expect(run.events[0]?.data.scanned).toEqual({ segments: 0, characters: 0, skipped });
  });

  it('applies on a route without nodes', async () => {
    const run = runOf(routeOf({ unscannable: 'block' }), structuredClone(image));
    expect(await ingress(run)).toMatchObject({ kind: 'blocked', node: 'unscannable' });
  });

  it('passes text, and content that an approver approved', async () => {
    const route = routeOf({ unscannable: 'require_approval' });
    expect(await ingress(runOf(route, 'text'))).toBeNull();
    const run = runOf(route, structuredClone(image));
    const stop = await ingress(run);
    expect(stop).toMatchObject({ kind: 'paused', next: 0 });
    expect(await ingress(run, 0)).toBeNull();
    expect(await ingress(run, null, (name) => name === 'unscannable')).toBeNull();
  });
});

describe('positions', () => {
  const pausing = (name: string): PipelineNode =>
    nodeOf(
      name,
      guardOf(() => ({ ...ALLOW, verdict: 'require_approval' })),
    );

  it('a stage continues at the given node, and calls none before it', async () => {
    const [first, last] = [spy('first'), spy('last')];
    const run = runOf(routeOf({ ingress: [first.node, pausing('middle'), last.node] }));
    expect(await ingress(run)).toMatchObject({ kind: 'paused', node: 'middle', next: 2 });
    expect(await ingress(run, 2)).toBeNull();
    expect([first.seen.length, last.seen.length]).toEqual([1, 1]);
    expect(run.events.map(({ node }) => node)).toEqual(['first', 'middle', 'last']);
  });

  it('an approved node does not pause, any other does', async () => {
    const run = runOf(routeOf({ ingress: [pausing('a'), pausing('b')] }));
    expect(await ingress(run, null, (name) => name === 'a')).toMatchObject({ kind: 'paused', node: 'b', next: 2 });
  });

  it('an approval does not lift a block', async () => {
    const blocking = nodeOf(
      'a',
      guardOf(() => ({ ...ALLOW, verdict: 'block' })),
    );
    expect(await ingress(runOf(routeOf({ ingress: [blocking] })), null, () => true)).toMatchObject({ kind: 'blocked' });
  });
});

it('a node keeps its state across both stages, and knows its stage', async () => {
  const contexts: GuardContext[] = [];
  const guard = guardOf((segments: readonly Segment[], ctx: GuardContext) => {
    ctx.state[ctx.stage] = segments.length;
    contexts.push(ctx);
    return ALLOW;
  });
  const node = nodeOf('both', guard);
  const run = runOf(routeOf({ ingress: [node], egress: [node] }));
  run.completion = answerOf('answer');
  await ingress(run);
  await egress(run);
  expect(run.states.get('both')).toEqual({ ingress: 1, egress: 1 });
  expect(contexts).toMatchObject([
    { run_id: 'run-1', route: 'default', principal_id: 'alice', node: 'both', stage: 'ingress', mode: 'enforce', choices: 1 },
    { stage: 'egress', endpoints: [{ provider: 'local', model: 'm-1', region: 'eu' }], max_output_tokens: null },
  ]);
});

it.each([
  [{}, null],
  [{ max_tokens: 7 }, 7],
  [{ max_completion_tokens: 7 }, 7],
  [{ max_completion_tokens: 7, max_tokens: 9 }, 9],
  [{ max_completion_tokens: 9, max_tokens: 7 }, 9],
])('the limit of %o is the higher of the given ones: %s', async (bounds, most) => {
  const seen: (number | null)[] = [];
  const watching = guardOf((_, ctx) => {
    seen.push(ctx.max_output_tokens);
    return ALLOW;
  });
  const run = runOf(routeOf({ ingress: [nodeOf('watching', watching)] }));
  Object.assign(run.request, bounds);
  await ingress(run);
  expect(seen).toEqual([most]);
});

it.each([
  ['a segment', (segments: readonly Segment[]) => Object.assign(segments[0] ?? {}, { text: 'SPOILT' })],
  ['their list', (segments: readonly Segment[]) => Object.assign(segments, { length: 0 })],
])('a guard that changes %s of its input, which the next one also sees, has failed', async (_what, change) => {
  const guard = guardOf((segments) => {
    change(segments);
    return ALLOW;
  });
  const next = spy('next');
  const run = runOf(routeOf({ ingress: [nodeOf('bad', guard, { on_error: 'allow' }), next.node] }), 'hello');
  await ingress(run);
  expect(run.events[0]?.data).toMatchObject({ failure: 'threw' });
  expect(run.request.messages[0]?.content).toBe('hello');
  expect(next.seen).toEqual([['hello']]);
});

it('an event contains no text', async () => {
  const run = runOf(routeOf({ ingress: [nodeOf('mask', replacing('secret', 'REPLACED'))] }), 'a secret');
  await ingress(run);
  expect(JSON.stringify(run.events)).not.toMatch(/secret|REPLACED/);
});
