import type { AssertionError } from 'node:assert';
import {
  type ConformanceCase,
  embedderConformance,
  exporterConformance,
  guardConformance,
  providerConformance,
  storeConformance,
  vectorsConformance,
} from '@svc/sdk/testing';
import { finderConformance } from '@svc/toolkit/testing';
import { describe, expect, test } from 'vitest';

const SECRET = 'a secret text';

/** What a plugin does, whatever it is asked. */
const FAULTS: readonly [string, () => unknown][] = [
  ['answers nothing', () => undefined],
  ['answers rubbish', () => 7],
  ['answers a text', () => SECRET],
  ['answers lists and objects of its own', () => [{ verdict: SECRET, code: SECRET, edits: [], findings: [], rows: [SECRET] }]],
  [
    'throws',
    () => {
      throw new Error(SECRET);
    },
  ],
];

/** Every method of it does this, and every field is this method. */
function broken<T>(fault: () => unknown): T {
  const method = (): Promise<unknown> => {
    const answer = (async () => fault())();
    // A case that has failed waits for no other call.
    answer.catch(() => undefined);
    return answer;
  };
  return new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : method) }) as T;
}

const nothing = async (): Promise<void> => {};
const suites: readonly [string, (fault: () => unknown) => ConformanceCase[]][] = [
  [
    'store',
    (fault) =>
      storeConformance({
        open: async () => ({ store: broken(fault), reopen: broken(fault), dispose: nothing }),
        another: async () => broken(fault),
      }),
  ],
  [
    'exporter',
    (fault) =>
      exporterConformance({
        open: async () => ({ make: () => broken(fault), received: async () => [], refuse: nothing, dispose: nothing }),
      }),
  ],
  [
    'embedder',
    (fault) => embedderConformance({ open: async () => ({ make: () => broken(fault), folder: null, dispose: nothing }) }),
  ],
  [
    'vectors',
    (fault) => vectorsConformance({ open: async () => ({ make: () => broken(fault), folder: null, dispose: nothing }) }),
  ],
  [
    'provider',
    (fault) =>
      providerConformance({
        create: () => broken(fault),
        model: 'm',
        stalled: async () => ({ provider: broken(fault), reached: nothing() }),
      }),
  ],
  ['guard', (fault) => guardConformance({ guard: () => ({ ...broken<object>(fault), ...guardOf(fault) }), samples: [SECRET] })],
  [
    'finder',
    (fault) =>
      finderConformance({
        finder: { reach: 5, context: 5, openFrom: () => 0, find: async () => fault() as never },
        texts: [SECRET],
      }),
  ],
];

const guardOf = (fault: () => unknown) => ({
  stages: ['ingress', 'egress'] as const,
  verdicts: ['block'] as const,
  stream: { capability: 'window' as const, open: () => broken<never>(fault) },
  reservations: { revalidate: fault as () => never, settle: fault as () => never },
  check: fault as () => never,
  endpoint: fault as () => never,
  lint: fault as () => never,
  scan: fault as () => never,
});

describe.each(suites)('of a %s', (_, suite) => {
  test.each(FAULTS)('that %s, every failure states the expected and the actual value', async (_fault, fault) => {
    let failures = 0;
    for (const { name, run, left_out } of suite(fault)) {
      if (left_out) continue;
      const error: unknown = await run().then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) continue;
      failures += 1;
      const { message } = error as Error;
      expect(message, name).toMatch(/expected .+, got .+/s);
      // What test runners print beside the message.
      const { actual, expected } = error as AssertionError;
      expect(message).toContain(`expected ${expected}, got ${actual}`);
    }
    expect(failures).toBeGreaterThan(1);
  });
});

test.each(['guard', 'provider', 'finder'])('no failure of a %s shows a text', async (kind) => {
  const [, suite] = suites.find(([name]) => name === kind) ?? [];
  for (const [, fault] of FAULTS) {
    for (const { run } of suite?.(fault) ?? []) {
      const error: unknown = await run().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error instanceof Error ? error.message : '').not.toContain('secret');
    }
  }
});
