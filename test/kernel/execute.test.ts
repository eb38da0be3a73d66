import { type CallContext, type ChatRequest, type EndpointVerdict, type Provider, ProviderError } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { BytesInFlight } from '../../kernel/kernel/src/admission/bytes-in-flight.ts';
import { Circuits } from '../../kernel/kernel/src/endpoints/circuits.ts';
import { execute as executeWith } from '../../kernel/kernel/src/runs/execute.ts';
import type { PipelineRun } from '../../kernel/kernel/src/runs/pipeline-run.ts';
import type { PipelineNode } from '../../kernel/kernel/src/runs/route.ts';
import type { TransportEnv } from '../../kernel/runtime/src/answers/transport-env.ts';
import { callWhole } from '../../kernel/runtime/src/answers/whole-call.ts';
import {
  ALLOW,
  answerOf,
  ENV,
  guardOf,
  handClock,
  nodeOf,
  providerOf,
  routeOf,
  runOf,
  timeoutsOf,
} from '../../kernel/runtime/src/test-parts.ts';

const execute = (run: PipelineRun, from: number, approved: (node: string) => boolean, env: TransportEnv) =>
  executeWith(run, from, approved, (endpoint) => callWhole(run, endpoint, env), env);
const NOBODY = (): boolean => false;
const hook = (name: string, verdict: EndpointVerdict['verdict'], fields: Partial<PipelineNode> = {}): PipelineNode =>
  nodeOf(name, { ...guardOf(() => ALLOW), endpoint: () => ({ verdict, code: 'region' }) }, fields);

/** A provider that answers, and what it was asked. */
function spy(): { provider: Provider; asked: { request: ChatRequest; context: CallContext }[] } {
  const asked: { request: ChatRequest; context: CallContext }[] = [];
  const provider = providerOf(async (request, context) => {
    asked.push({ request, context });
    return { completion: answerOf('answer'), unsupported: [] };
  });
  return { provider, asked };
}

describe('the call', () => {
  it('calls the upstream model, not streamed, and books its usage', async () => {
    const { provider, asked } = spy();
    const run = runOf(routeOf({ provider }));
    Object.assign(run.request, { stream: true, stream_options: { include_usage: true }, temperature: 0 });
    expect(await execute(run, 0, NOBODY, ENV)).toBeNull();
    expect(asked[0]?.request).toEqual({ model: 'm-1', messages: run.request.messages, temperature: 0 });
    expect(asked[0]?.context).toMatchObject({ run_id: 'run-1', attempt: 1, timeout_ms: 5000 });
    const usage = { input_tokens: 3, output_tokens: 2, cached_input_tokens: 0, estimated: false };
    expect(run.spend).toEqual([{ endpoint: { provider: 'local', model: 'm-1', region: 'eu' }, usage, at: expect.any(Number) }]);
    expect(run.events).toMatchObject([
      {
        event_type: 'provider_call',
        stage: 'execute',
        node: 'local',
        data: { provider: 'local', model: 'm-1', region: 'eu', attempt: 1, outcome: 'answered', usage, finish_reason: 'stop' },
      },
    ]);
  });

  it('counts tokens itself if the provider does not, and marks this', async () => {
    const { usage: _, ...uncounted } = answerOf('a few words');
    const provider = providerOf(async () => ({ completion: uncounted, unsupported: [] }));
    const run = runOf(routeOf({ provider }));
    await execute(run, 0, NOBODY, ENV);
    expect(run.spend[0]?.usage).toMatchObject({ estimated: true });
    expect(run.spend[0]?.usage.input_tokens).toBeGreaterThan(0);
    expect(run.spend[0]?.usage.output_tokens).toBeGreaterThan(0);
  });

  it('writes no text of an upstream or a caller into its event', async () => {
    const completion = answerOf('answer');
    for (const choice of completion.choices) choice.finish_reason = 'MARKER';
    const unsupported = ['temperature', 'MARKER', 'MARKER-2', 'tools.bash', 'tools.MARKER'];
    const provider = providerOf(async () => ({ completion, unsupported }));
    const run = runOf(routeOf({ provider }));
    await execute(run, 0, NOBODY, ENV);
    expect(run.events[0]?.data).toMatchObject({
      finish_reason: 'other',
      unsupported: ['temperature', 'other', 'tools.bash', 'tools.other'],
    });
    expect(JSON.stringify(run.events)).not.toContain('MARKER');
  });

  it.each([
    ['no completion', undefined],
    ['null', null],
    ['no choices', { id: 'x' }],
    ['choices that are no array', { choices: {} }],
    ['a choice without a message', { choices: [{ index: 0 }] }],
    ['a message that is text', { choices: [{ index: 0, message: 'hi' }] }],
  ])('fails if an answer has %s', async (_what, completion) => {
    const provider = providerOf((async () => ({ completion, unsupported: [] })) as unknown as Provider['complete']);
    const run = runOf(routeOf({ provider }));
    expect(await execute(run, 0, NOBODY, ENV)).toMatchObject({ kind: 'failed', error: { code: 'SVC-PROV-001', status: 502 } });
    expect(run.events[0]?.data.outcome).toBe('malformed');
    expect(run.completion).toBeNull();
  });

  it.each([
    [new ProviderError('rate_limited', { status: 429, retry_after_s: 9 }), 'rate_limited', { status: 429, retry_after_s: 9 }],
    [new Error('UPSTREAM-WORDS'), 'unavailable', { status: 502 }],
  ])('fails as the provider did', async (thrown, outcome, told) => {
    const run = runOf(routeOf({ provider: providerOf(() => Promise.reject(thrown)) }));
    expect(await execute(run, 0, NOBODY, ENV)).toMatchObject({ kind: 'failed', error: told });
    expect(run.events[0]?.data.outcome).toBe(outcome);
    expect(JSON.stringify(run.events)).not.toContain('UPSTREAM-WORDS');
  });

  it('fails if the provider throws before it returns a promise', async () => {
    const provider = providerOf(() => {
      throw new Error('x');
    });
    expect(await execute(runOf(routeOf({ provider })), 0, NOBODY, ENV)).toMatchObject({ kind: 'failed' });
  });

  it('has a deadline that applies to every provider', async () => {
    let signal: AbortSignal | undefined;
    const provider = providerOf((_request, context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    });
    const run = runOf(routeOf({ provider, timeout_ms: 5 }));
    expect(await execute(run, 0, NOBODY, ENV)).toMatchObject({ kind: 'failed', error: { code: 'SVC-PROV-002', status: 504 } });
    expect(run.events[0]?.data.outcome).toBe('timeout');
    expect(signal?.aborted).toBe(true);
  });

  it.each(['disconnected', 'interrupted'] as const)('is aborted when the run is %s', async (reason) => {
    const run = runOf(routeOf());
    const provider = providerOf(() => {
      run.abort.abort(reason);
      return new Promise(() => undefined);
    });
    const route = routeOf({ provider, timeout_ms: 3_600_000 });
    expect(await execute({ ...run, route }, 0, NOBODY, ENV)).toEqual({ kind: reason });
    expect(run.events).toMatchObject([{ event_type: 'provider_call', data: { outcome: 'aborted' } }]);
  });

  it.each<[string, (run: PipelineRun, context: CallContext) => unknown]>([
    ['unavailable', () => Promise.reject(new ProviderError('unavailable', { status: 503 }))],
    ['rate_limited', () => Promise.reject(new ProviderError('rate_limited', { status: 429 }))],
    ['unavailable', () => Promise.reject(new Error('not of the contract'))],
    ['timeout', () => Promise.reject(new ProviderError('timeout'))],
    ['timeout', () => new Promise(() => undefined)],
    ['malformed', async () => ({ completion: null, unsupported: [] })],
    ['malformed', async () => ({ completion: { ...answerOf('x'), extra: '\ud800' }, unsupported: [] })],
    ['answered', async () => ({ completion: answerOf('x'), unsupported: [] })],
    [
      'aborted',
      (run) => {
        run.abort.abort('disconnected');
        return new Promise(() => undefined);
      },
    ],
    [
      'cut',
      (_run, { onBuffered }) => {
        onBuffered?.(Number.MAX_SAFE_INTEGER);
        return Promise.reject(new ProviderError('aborted'));
      },
    ],
  ])('that ends as %s has the duration of the upstream', async (outcome, answer) => {
    const clock = handClock();
    const made = runOf(routeOf());
    const provider = providerOf((async (_request, context) => {
      clock.advance(700);
      return answer(run, context);
    }) as Provider['complete']);
    const bytes = new BytesInFlight(1_000_000).reserve();
    const run = { ...made, bytes, route: routeOf({ provider, timeout_ms: 20 }) };
    await execute(run, 0, NOBODY, { ...ENV, clock });
    expect(run.events[0]?.data).toMatchObject({ outcome, latency_ms: 700 });
    expect(run.timeline.calls).toMatchObject([{ outcome, duration_ms: 700, upstream_ms: 700 }]);
  });

  it('removes fields that an egress guard could not check, if there is one', async () => {
    const completion = answerOf('answer');
    Object.assign(completion, { unknown_field: 'word' });
    for (const choice of completion.choices) Object.assign(choice, { logprobs: { content: [{ token: 'MARKER' }] } });
    const provider = providerOf(async () => ({ completion, unsupported: [] }));
    const guarded = runOf(
      routeOf({
        provider,
        egress: [
          nodeOf(
            'n',
            guardOf(() => ALLOW),
          ),
        ],
      }),
    );
    await execute(guarded, 0, NOBODY, ENV);
    expect(JSON.stringify(guarded.completion)).not.toContain('MARKER');
    const open = runOf(routeOf({ provider }));
    await execute(open, 0, NOBODY, ENV);
    expect(guarded.completion).toMatchObject({ unknown_field: 'word', svc_left_out: ['choices.logprobs'] });
    expect(open.completion).toMatchObject({ unknown_field: 'word', choices: completion.choices });
  });
});

describe('endpoint hooks', () => {
  it.each([
    ['block', 'blocked'],
    ['require_approval', 'paused'],
  ] as const)('%s keeps the provider from being called', async (verdict, kind) => {
    const { provider, asked } = spy();
    const run = runOf(routeOf({ provider, ingress: [hook('residency', verdict)] }));
    expect(await execute(run, 0, NOBODY, ENV)).toMatchObject({ kind, stage: 'execute', node: 'residency', code: 'region' });
    expect(asked).toEqual([]);
  });

  it('are called once per node, for both stages', async () => {
    const both = hook('both', 'allow');
    const run = runOf(routeOf({ ingress: [both], egress: [both, hook('last', 'allow')] }));
    expect(await execute(run, 0, NOBODY, ENV)).toBeNull();
    expect(run.events.map(({ event_type, node }) => [event_type, node])).toEqual([
      ['verdict', 'both'],
      ['verdict', 'last'],
      ['provider_call', 'local'],
    ]);
  });

  it('only record in observe mode', async () => {
    const { provider, asked } = spy();
    const run = runOf(routeOf({ provider, ingress: [hook('watching', 'block', { mode: 'observe' })] }));
    expect(await execute(run, 0, NOBODY, ENV)).toBeNull();
    expect(asked).toHaveLength(1);
    expect(run.events[0]).toMatchObject({ event_type: 'observed', node: 'watching', data: { verdict: 'block' } });
  });

  it('with an approved node, the call is made', async () => {
    const { provider, asked } = spy();
    const run = runOf(routeOf({ provider, ingress: [hook('residency', 'require_approval')] }));
    expect(await execute(run, 0, (node) => node === 'residency', ENV)).toBeNull();
    expect(asked).toHaveLength(1);
  });
});

describe('fallbacks', () => {
  it('have the time of each attempt recorded separately', async () => {
    const clock = handClock();
    const taking = (ms: number, kind?: 'unavailable') =>
      providerOf(async () => {
        clock.advance(ms);
        if (kind !== undefined) throw new ProviderError(kind);
        return { completion: answerOf('second'), unsupported: [] };
      });
    const run = runOf(routeOf({ endpoints: [endpoint('first', taking(300, 'unavailable')), endpoint('second', taking(40))] }));
    await execute(run, 0, NOBODY, { ...ENV, clock });
    expect(run.events.map(({ data }) => data.latency_ms)).toEqual([300, 40]);
    expect(run.timeline.calls).toMatchObject([{ upstream_ms: 300 }, { started_ms: 300, upstream_ms: 40 }]);
  });

  const fresh = () => ({ ...ENV, circuits: new Circuits(ENV.clock, ENV.observer) });
  const away = () => providerOf(() => Promise.reject(new ProviderError('unavailable')));
  const well = () => providerOf(async () => ({ completion: answerOf('second'), unsupported: [] }));
  const endpoint = (provider: string, instance: Provider) => ({
    provider,
    model: 'm',
    region: null,
    instance,
    timeouts: timeoutsOf(5000),
    weight: null,
  });
  const refusing = (refused: string, verdict: 'block' | 'require_approval'): PipelineNode =>
    nodeOf('residency', {
      ...guardOf(() => ALLOW),
      endpoint: (_ctx, { provider }) => ({ verdict: provider === refused ? verdict : 'allow', code: 'region' }),
    });

  it.each(['block', 'require_approval'] as const)(
    'one that a guard refuses (%s) is skipped and recorded, even if the node was approved',
    async (verdict) => {
      const endpoints = [endpoint('first', away()), endpoint('second', well()), endpoint('third', well())];
      const run = runOf(routeOf({ endpoints, ingress: [refusing('second', verdict)] }));
      expect(await execute(run, 0, () => true, ENV)).toBeNull();
      expect(run.events.map(({ node, data }) => [node, data.outcome ?? data.verdict])).toEqual([
        ['residency', 'allow'],
        ['first', 'unavailable'],
        ['residency', verdict],
        ['residency', 'allow'],
        ['third', 'answered'],
      ]);
    },
  );

  it('a skipped endpoint is called after all if a guard refuses the others', async () => {
    const circuits = new Circuits(ENV.clock, ENV.observer);
    const first = endpoint('first', well());
    const failure = new ProviderError('unavailable');
    for (let done = 0; done < 5; done += 1) circuits.ended(first, { kind: 'failed', failure, fallback: true });
    const run = runOf(routeOf({ endpoints: [first, endpoint('second', well())], ingress: [refusing('second', 'block')] }));
    expect(await execute(run, 0, NOBODY, { ...ENV, circuits })).toBeNull();
    expect(run.events.map(({ node, data }) => [node, data.outcome ?? data.verdict])).toEqual([
      ['residency', 'allow'],
      ['first', 'skipped'],
      ['residency', 'block'],
      ['residency', 'allow'],
      ['first', 'answered'],
    ]);
  });

  it.each(['block', 'require_approval'] as const)(
    'if a guard refuses the first (%s), the next one gets the run',
    async (verdict) => {
      const run = runOf(
        routeOf({ endpoints: [endpoint('first', well()), endpoint('second', well())], ingress: [refusing('first', verdict)] }),
      );
      expect(await execute(run, 0, NOBODY, ENV)).toBeNull();
      expect(run.spend).toMatchObject([{ endpoint: { provider: 'second' } }]);
    },
  );

  it.each<[EndpointVerdict['verdict'], EndpointVerdict['verdict'], object]>([
    ['block', 'block', { kind: 'blocked', node: 'residency' }],
    ['block', 'require_approval', { kind: 'paused', endpoint: { provider: 'second' } }],
    ['require_approval', 'block', { kind: 'paused', endpoint: { provider: 'first' } }],
    ['require_approval', 'require_approval', { kind: 'paused', endpoint: { provider: 'first' } }],
  ])('if guards refuse all (%s, %s), the run stops with the refusal that an approver can lift', async (first, second, stop) => {
    const verdicts: Record<string, EndpointVerdict['verdict']> = { first, second };
    const node = nodeOf('residency', {
      ...guardOf(() => ALLOW),
      endpoint: (_ctx, { provider }) => ({ verdict: verdicts[provider] ?? 'allow', code: 'region' }),
    });
    const endpoints = [endpoint('first', well()), endpoint('second', well())];
    const run = runOf(routeOf({ endpoints, ingress: [node] }));
    expect(await execute(run, 0, NOBODY, ENV)).toMatchObject(stop);
    expect(run.spend).toEqual([]);
  });

  it('an approval applies only to its endpoint, whatever its position', async () => {
    const endpoints = [endpoint('first', well()), endpoint('second', well())];
    const node = hook('residency', 'require_approval');
    const run = runOf(routeOf({ endpoints, ingress: [node] }));
    const at = { model: 'm', provider: 'second', region: null };
    const call = (to: Parameters<typeof callWhole>[1]) => callWhole(run, to, ENV);
    expect(await executeWith(run, 0, () => true, call, ENV, at)).toBeNull();
    expect(run.spend).toMatchObject([{ endpoint: { provider: 'second' } }]);
  });

  it.each([
    ['configuration', { status: 401 }],
    ['configuration', { status: 402 }],
    ['configuration', { status: 403 }],
    ['configuration', { status: 404 }],
    ['configuration', {}],
    ['rate_limited', { status: 429, code: 'insufficient_quota' }],
  ] as const)('take over after %s %o', async (kind, options) => {
    const failing = providerOf(() => Promise.reject(new ProviderError(kind, options)));
    const run = runOf(routeOf({ endpoints: [endpoint('first', failing), endpoint('second', well())] }));
    expect(await execute(run, 0, NOBODY, fresh())).toBeNull();
    expect(run.spend).toMatchObject([{ endpoint: { provider: 'second' } }]);
  });

  it.each(['invalid_request', 'unsupported'] as const)('are not called after %s', async (kind) => {
    const failing = providerOf(() => Promise.reject(new ProviderError(kind, { status: 413 })));
    const run = runOf(routeOf({ endpoints: [endpoint('first', failing), endpoint('second', well())] }));
    expect(await execute(run, 0, NOBODY, fresh())).toMatchObject({ kind: 'failed', error: { status: 413 } });
    expect(run.events).toHaveLength(1);
  });

  it('if fallbacks are refused too, the caller gets the temporary failure', async () => {
    const failing = (kind: 'configuration' | 'rate_limited', status: number) =>
      providerOf(() => Promise.reject(new ProviderError(kind, { status, retry_after_s: 3 })));
    for (const places of [
      [0, 1],
      [1, 0],
    ]) {
      const both = [endpoint('dead', failing('configuration', 401)), endpoint('busy', failing('rate_limited', 429))];
      const run = runOf(routeOf({ endpoints: places.map((place) => both[place] as (typeof both)[0]) }));
      expect(await execute(run, 0, NOBODY, fresh())).toMatchObject({ kind: 'failed', error: { status: 429, retry_after_s: 3 } });
    }
  });
});
