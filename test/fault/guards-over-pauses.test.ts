import {
  type EndedStatus,
  type EndpointVerdict,
  type GuardContext,
  ProviderError,
  type RunEvent,
  type Spend,
} from '@svc/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { ALLOW, completionOf, type Node, nodeOf, OpenGateway, PAUSE, type RouteParts } from '../harness/open-gateway.ts';
import { until } from '../harness/until.ts';

let opened: OpenGateway | undefined;
afterEach(() => opened?.dispose());

async function open(parts: RouteParts): Promise<OpenGateway> {
  opened = await OpenGateway.start(parts);
  return opened;
}

/** Waits for a background run. Reads resolve without I/O, so each leaves the event loop a turn. */
async function completed(gateway: OpenGateway, run_id: string): Promise<void> {
  await until(async () => (await gateway.runs.stored.read(run_id)).row.status === 'completed');
}

const judged = (events: readonly RunEvent[]): string[] =>
  events.filter(({ event_type }) => event_type === 'verdict').map(({ stage, node }) => `${stage} ${node}`);

/** Pauses on the word `wait` in ingress, and answers `late` in egress. */
const pausing = (): Node =>
  nodeOf('pausing', {
    check: (segments) => (segments.some(({ text }) => /\b(wait|late)\b/.test(text)) ? PAUSE : ALLOW),
  });

describe("a node's state", () => {
  it('is kept across pauses and a restart, and passed to settle', async () => {
    const seen: unknown[] = [];
    const counting = (): Node =>
      nodeOf('counting', {
        check(segments, { state, stage }) {
          state[stage] = segments.length;
          state.calls = Number(state.calls ?? 0) + 1;
          return ALLOW;
        },
        reservations: {
          revalidate: () => ALLOW,
          settle(ctx) {
            seen.push(structuredClone(ctx.state));
            return null;
          },
        },
      });
    const parts = (): RouteParts => ({
      ingress: [counting(), pausing()],
      egress: [counting(), pausing()],
      complete: answering('late'),
    });
    const gateway = await open(parts());
    const { row } = await gateway.start('wait');
    await gateway.close();
    await gateway.open(parts());
    expect((await gateway.runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null })).row.status).toBe('paused');
    await gateway.close();
    await gateway.open(parts());
    expect(seen).toEqual([]);
    expect((await gateway.runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null })).row.status).toBe('completed');
    expect(seen).toEqual([{ ingress: 1, egress: 1, calls: 2 }]);
  });
});

const answering =
  (content: string): NonNullable<RouteParts['complete']> =>
  async () => ({
    completion: completionOf(content),
    unsupported: [],
  });

describe('settle is called exactly once', () => {
  interface Call {
    readonly outcome: EndedStatus;
    readonly tokens: number;
  }

  function settling(): { node: Node; calls: Call[] } {
    const calls: Call[] = [];
    const settle = (_ctx: GuardContext, spend: readonly Spend[], outcome: EndedStatus): null => {
      calls.push({ outcome, tokens: spend.reduce((sum, { usage }) => sum + usage.input_tokens + usage.output_tokens, 0) });
      return null;
    };
    return { node: nodeOf('settling', { reservations: { revalidate: () => ALLOW, settle } }), calls };
  }

  it.each<[string, string, RouteParts, Call]>([
    ['completes', 'hello', {}, { outcome: 'completed', tokens: 5 }],
    [
      'is blocked on the way in',
      'hello',
      { ingress: [nodeOf('b', { check: () => ({ ...ALLOW, verdict: 'block' }) })] },
      { outcome: 'blocked', tokens: 0 },
    ],
    [
      'is blocked on the way out',
      'hello',
      { egress: [nodeOf('b', { check: () => ({ ...ALLOW, verdict: 'block' }) })] },
      { outcome: 'blocked', tokens: 5 },
    ],
    [
      'fails upstream',
      'hello',
      { complete: () => Promise.reject(new ProviderError('unavailable')) },
      { outcome: 'error', tokens: 0 },
    ],
  ])('when a run %s', async (_how, content, parts, call) => {
    const { node, calls } = settling();
    const gateway = await open({ ...parts, ingress: [node, ...(parts.ingress ?? [])], egress: [node, ...(parts.egress ?? [])] });
    await gateway.start(content);
    expect(calls).toEqual([call]);
  });

  it.each([
    ['approved', 'completed', 5],
    ['denied', 'denied', 0],
  ] as const)('when a paused run is %s, and not while it waits', async (decision, outcome, tokens) => {
    const { node, calls } = settling();
    const gateway = await open({ ingress: [node, pausing()], egress: [node] });
    const { row } = await gateway.start('wait');
    expect(calls).toEqual([]);
    await gateway.runs.resume(row.run_id, 'bob', { decision, digest: null });
    expect(calls).toEqual([{ outcome, tokens }]);
  });

  it('when a paused answer is denied, with its cost', async () => {
    const { node, calls } = settling();
    const gateway = await open({ ingress: [node], egress: [node, pausing()], complete: answering('late') });
    const { row } = await gateway.start('hello');
    await gateway.runs.resume(row.run_id, 'bob', { decision: 'denied', digest: null });
    expect(calls).toEqual([{ outcome: 'denied', tokens: 5 }]);
  });

  it('when a pause expires, by the sweep', async () => {
    const { node, calls } = settling();
    const gateway = await open({ ingress: [node, pausing()] });
    await gateway.start('wait');
    gateway.clock.advance(60_000);
    await gateway.runs.expire(gateway.clock.now());
    await gateway.runs.expire(gateway.clock.now());
    expect(calls).toEqual([{ outcome: 'denied', tokens: 0 }]);
  });

  it('when six people decide at once', async () => {
    const { node, calls } = settling();
    const gateway = await open({ ingress: [node, pausing()] });
    const { row } = await gateway.start('wait');
    await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        gateway.runs.resume(row.run_id, 'bob', { decision: i % 2 ? 'approved' : 'denied', digest: null }),
      ),
    );
    expect(calls).toHaveLength(1);
  });

  it('when the run is interrupted', async () => {
    const { node, calls } = settling();
    const asked = Promise.withResolvers<void>();
    const gateway = await open({
      ingress: [node],
      complete: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const run = gateway.start('hello');
    await asked.promise;
    await gateway.runs.close(0);
    expect((await run).row.status).toBe('error');
    expect(calls).toEqual([{ outcome: 'error', tokens: 0 }]);
  });

  it('also if a guard fails in it: the run ends nevertheless, and records the failure', async () => {
    const failing = nodeOf('failing', {
      reservations: { revalidate: () => ALLOW, settle: () => Promise.reject(new Error('x')) },
    });
    const { node, calls } = settling();
    const gateway = await open({ ingress: [failing, node] });
    const { row, events } = await gateway.start('hello');
    expect(row.status).toBe('completed');
    expect(calls).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ event_type: 'error', node: 'failing', data: { code: 'SVC-NODE-001' } });
  });
});

describe('a pause before the model is called', () => {
  const hook = (name: string, verdict: EndpointVerdict['verdict']): Node =>
    nodeOf(name, { endpoint: () => ({ verdict, code: 'region' }) });

  it('after an approval, continues after the node that paused, and calls no hook twice', async () => {
    const gateway = await open({
      ingress: [hook('first', 'allow'), hook('residency', 'require_approval'), hook('last', 'allow')],
    });
    const paused = await gateway.start('hello');
    expect(paused.stop).toMatchObject({ kind: 'paused', node: 'residency' });
    const { row, events } = await gateway.runs.resume(paused.row.run_id, 'bob', { decision: 'approved', digest: null });
    expect(row.status).toBe('completed');
    expect(judged(events).filter((name) => name.startsWith('execute'))).toEqual([
      'execute first',
      'execute residency',
      'execute last',
    ]);
  });

  it('requested by two nodes, needs two decisions', async () => {
    const gateway = await open({ ingress: [hook('one', 'require_approval'), hook('two', 'require_approval')] });
    const { row, stop } = await gateway.start('hello');
    expect(stop?.node).toBe('one');
    const second = await gateway.runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null });
    expect(second.stop).toMatchObject({ kind: 'paused', node: 'two' });
    expect((await gateway.runs.resume(row.run_id, 'carol', { decision: 'approved', digest: null })).row.status).toBe('completed');
  });
});

describe('the sweep', () => {
  it('denies overdue runs, and nothing else', async () => {
    const gateway = await open({ ingress: [pausing()] });
    const old = await gateway.start('wait');
    gateway.clock.advance(59_999);
    const young = await gateway.start('wait');
    await gateway.runs.expire(gateway.clock.now());
    expect((await gateway.runs.stored.read(old.row.run_id)).row.status).toBe('paused');
    gateway.clock.advance(1);
    await gateway.runs.expire(gateway.clock.now());
    const { row, events } = await gateway.runs.stored.read(old.row.run_id);
    expect(row).toMatchObject({ status: 'denied', approver: null, evidence: { seq: 2 } });
    expect(events.map(({ event_type }) => event_type)).toContain('expired');
    expect((await gateway.runs.stored.read(young.row.run_id)).row.status).toBe('paused');
  });

  it('also denies a run whose route is gone', async () => {
    const gateway = await open({ ingress: [pausing()] });
    const { row } = await gateway.start('wait');
    await gateway.close();
    await gateway.open({ name: 'other' });
    gateway.clock.advance(60_000);
    await gateway.runs.expire(gateway.clock.now());
    expect((await gateway.runs.stored.read(row.run_id)).row).toMatchObject({ status: 'denied' });
  });

  it('an approval restarts the time for the next pause', async () => {
    const gateway = await open({ ingress: [pausing()], egress: [pausing()], complete: answering('late') });
    const { row } = await gateway.start('wait');
    gateway.clock.advance(59_000);
    await gateway.runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null });
    gateway.clock.advance(59_000);
    await gateway.runs.expire(gateway.clock.now());
    expect((await gateway.runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null })).row.status).toBe('completed');
  });

  it('deletes an answer after its retention', async () => {
    const gateway = await open({});
    const { row } = await gateway.startInBackground('hello');
    await completed(gateway, row.run_id);
    expect((await gateway.runs.stored.response(row.run_id, 'alice')).completion).not.toBeNull();
    gateway.clock.advance(60_000);
    await gateway.runs.expire(gateway.clock.now());
    expect((await gateway.runs.stored.response(row.run_id, 'alice')).completion).toBeNull();
  });
});

describe('plugins that break their contract', () => {
  it('invalid Unicode in an answer that pauses is still recorded', async () => {
    const gateway = await open({ egress: [pausing()], complete: answering('late \ud800') });
    const { row } = await gateway.start('hello');
    const stored = await gateway.runs.stored.read(row.run_id);
    expect(['paused', 'error']).toContain(stored.row.status);
  });

  it("a failed provider's status that is not a number is still recorded", async () => {
    const complete = () => Promise.reject(new ProviderError('unavailable', { status: Number.NaN }));
    const gateway = await open({ complete });
    const { row } = await gateway.start('hello');
    expect(row).toMatchObject({ status: 'error', evidence: { seq: 2 } });
  });

  it('a missing finding is not counted', async () => {
    const findings: { entity_type: string; count: number }[] = [];
    findings.length = 1;
    const gateway = await open({ ingress: [nodeOf('holed', { check: () => ({ ...ALLOW, findings }) })] });
    const { row, events } = await gateway.start('hello');
    expect(row.status).toBe('blocked');
    // What was answered is what was sealed.
    expect((await gateway.runs.stored.read(row.run_id)).events).toEqual(events);
  });
});
