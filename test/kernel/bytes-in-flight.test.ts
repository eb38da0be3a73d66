import { expect, it } from 'vitest';
import { BytesInFlight } from '../../kernel/kernel/src/admission/bytes-in-flight.ts';
import { execute } from '../../kernel/kernel/src/runs/execute.ts';
import { runStage } from '../../kernel/kernel/src/runs/stage.ts';
import { callWhole } from '../../kernel/runtime/src/answers/whole-call.ts';
import { ALLOW, answerOf, ENV, guardOf, nodeOf, providerOf, routeOf, runOf } from '../../kernel/runtime/src/test-parts.ts';

it('requests are admitted up to the limit, answers up to twice the limit, and refusals are counted', () => {
  const all = new BytesInFlight(100);
  const [first, second] = [all.reserve(), all.reserve()];
  expect(first.grow('request', 100)).toBe(true);
  expect(second.grow('request', 1)).toBe(false);
  expect(first.grow('answer', 100)).toBe(true);
  expect(second.grow('answer', 1)).toBe(false);
  expect(all.bytes).toBe(200);
  expect(all.refused).toEqual({ request: 1, answer: 1 });
  first.release();
  expect(all.bytes).toBe(0);
});

it('JSON values count as more than their bytes, but no request as more than the limit', () => {
  const all = new BytesInFlight(1_000);
  const [first, second] = [all.reserve(), all.reserve()];
  first.add(100);
  expect(first.weigh('request', 1)).toBe(true);
  expect(all.bytes).toBe(100);
  expect(first.weigh('request', 10)).toBe(true);
  expect(first.weigh('request', 10)).toBe(true);
  expect(all.bytes).toBe(640);
  expect(second.weigh('request', 10)).toBe(false);
  expect(second.weigh('answer', 10)).toBe(true);
  second.release();
  expect(first.weigh('request', 1_000_000)).toBe(true);
  expect(all.bytes).toBe(1_000);
  first.release();
  expect(all.bytes).toBe(0);
});

it('bytes are free once the last holder has released them, and nothing is added after that', () => {
  const all = new BytesInFlight(100);
  const bytes = all.reserve();
  bytes.add(50);
  bytes.hold();
  bytes.release();
  expect(all.bytes).toBe(50);
  bytes.release();
  bytes.add(50);
  expect(all.bytes).toBe(0);
});

it('bytes count again if a new holder follows the last one', () => {
  const all = new BytesInFlight(100);
  const bytes = all.reserve();
  bytes.add(50);
  bytes.release();
  bytes.hold();
  expect(all.bytes).toBe(50);
  bytes.release();
  expect(all.bytes).toBe(0);
});

it('a cancelled run holds its bytes until its guard has ended', async () => {
  const all = new BytesInFlight(100);
  const bytes = all.reserve();
  bytes.add(50);
  const working = Promise.withResolvers<typeof ALLOW>();
  const run = {
    ...runOf(
      routeOf({
        ingress: [
          nodeOf(
            'deaf',
            guardOf(() => working.promise),
          ),
        ],
      }),
    ),
    bytes,
  };
  const stage = runStage(run, 'ingress', null, () => false, ENV);
  run.abort.abort('disconnected');
  expect(await stage).toEqual({ kind: 'disconnected' });
  bytes.release();
  expect(all.bytes).toBe(50);
  working.resolve(ALLOW);
  await working.promise;
  await Promise.resolve();
  expect(all.bytes).toBe(0);
});

it('an answer that does not fit is abandoned, even if its provider continues', async () => {
  const all = new BytesInFlight(100);
  const bytes = all.reserve();
  const provider = providerOf(async (_request, { onBuffered, signal }) => {
    onBuffered?.(200);
    expect(signal.aborted).toBe(false);
    onBuffered?.(201);
    expect(signal.aborted).toBe(true);
    return { completion: answerOf('too large'), unsupported: [] };
  });
  const run = { ...runOf(routeOf({ provider })), bytes };
  const stop = await execute(
    run,
    0,
    () => false,
    (endpoint) => callWhole(run, endpoint, ENV),
    ENV,
  );
  expect(stop).toMatchObject({ kind: 'failed', error: { code: 'SVC-PROV-001', paid: true } });
  expect(run).toMatchObject({ completion: null, cost: 'partial' });
  expect(run.events).toMatchObject([{ event_type: 'provider_call', data: { outcome: 'cut' } }]);
  expect(all.bytes).toBe(0);
});

it.each([Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY])("a provider's report of %d bytes is ignored", async (said) => {
  const all = new BytesInFlight(100);
  const bytes = all.reserve();
  const provider = providerOf(async (_request, { onBuffered }) => {
    onBuffered?.(10);
    onBuffered?.(said);
    return { completion: answerOf('fine'), unsupported: [] };
  });
  const run = { ...runOf(routeOf({ provider })), bytes };
  expect(
    await execute(
      run,
      0,
      () => false,
      (endpoint) => callWhole(run, endpoint, ENV),
      ENV,
    ),
  ).toBeNull();
  expect(all.bytes).toBe(10);
});

it('the bytes of a call that was given up are held until its provider has ended', async () => {
  const all = new BytesInFlight(100);
  const bytes = all.reserve();
  const [begun, working] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  const provider = providerOf((_request, { onBuffered }) => {
    onBuffered?.(50);
    begun.resolve();
    return working.promise;
  });
  const run = { ...runOf(routeOf({ provider })), bytes };
  const called = execute(
    run,
    0,
    () => false,
    (endpoint) => callWhole(run, endpoint, ENV),
    ENV,
  );
  await begun.promise;
  run.abort.abort('disconnected');
  await called;
  expect(all.bytes).toBe(50);
  working.reject(new Error('at last'));
  await working.promise.catch(() => undefined);
  await Promise.resolve();
  expect(all.bytes).toBe(0);
});
