import { beforeEach, expect, it } from 'vitest';
import type { LeasedSecret, ResolvedSecret } from '../config/resolve-secrets.ts';
import { SecretError } from '../config/secret-backends.ts';
import { SecretRefresh } from './secret-refresh.ts';

const ONE = 'secret://vault/apps/openai#key';
const OTHER = 'secret://store/apps/other#key';

let now: number;
let random: number;
let atStart: string | null;
/** What the backends answer, by reference. */
let stored: Map<string, ResolvedSecret | SecretError>;
let asked: string[];
let applied: number;
let apply: () => Promise<boolean>;
let lines: Record<string, unknown>[];
let counted: string[];
let config: { leased: ReadonlyMap<string, LeasedSecret> };
let refresh: SecretRefresh;

/** The configuration with the present values. */
function loaded(): typeof config {
  const leased = [...stored].flatMap(([reference, answer]): [string, LeasedSecret][] => {
    if (answer instanceof SecretError) return [];
    const ask: LeasedSecret['ask'] = async () => {
      asked.push(reference);
      return stored.get(reference) ?? new SecretError('gone');
    };
    return [[reference, { value: answer.value, refresh_after_ms: answer.refresh_after_ms ?? 0, ask }]];
  });
  return { leased: new Map(leased) };
}

beforeEach(() => {
  now = 0;
  random = 0;
  atStart = null;
  stored = new Map([
    [ONE, { value: 'a', refresh_after_ms: 60_000 }],
    [OTHER, { value: 'b', refresh_after_ms: 10_000 }],
  ]);
  [asked, lines, counted] = [[], [], []];
  applied = 0;
  config = loaded();
  apply = async () => {
    applied += 1;
    config = loaded();
    return true;
  };
  const log = (line: Record<string, unknown>) => void lines.push(line);
  refresh = new SecretRefresh({
    config: () => config,
    apply: () => apply(),
    isReadAtStart: (reference) => reference === atStart,
    counted: (backend, outcome) => counted.push(`${backend} ${outcome}`),
    logger: { info: log, warn: log } as never,
    now: () => now,
    random: () => random,
  });
});

async function at(time: number): Promise<void> {
  now = time;
  await refresh.look();
}

it('reads each secret when it is due, and not before', async () => {
  for (const time of [0, 9_999, 10_000, 10_001, 20_000, 60_000]) await at(time);
  expect(asked).toEqual([OTHER, OTHER, ONE, OTHER]);
  expect([applied, lines]).toEqual([0, []]);
});

it('reads a secret up to a tenth of its time earlier, so that processes do so at different moments', async () => {
  random = 0.5;
  for (const time of [0, 9_499, 9_500, 18_999, 19_000]) await at(time);
  expect(asked).toEqual([OTHER, OTHER]);
});

it('asks for no restart if a reload has applied the change meanwhile', async () => {
  await at(0);
  stored.set(OTHER, { value: 'changed', refresh_after_ms: 10_000 });
  apply = async () => {
    config = loaded();
    return false;
  };
  await at(10_000);
  expect([counted, lines]).toEqual([['store changed'], []]);
});

it('applies changed values once, and says which secrets have changed', async () => {
  await at(0);
  stored.set(OTHER, { value: 'changed', refresh_after_ms: 10_000 });
  for (const time of [10_000, 10_001, 20_001]) await at(time);
  expect([applied, lines]).toEqual([1, [{ event: 'secret_changed', references: [OTHER] }]]);
  expect(counted).toEqual(['store changed', 'store same']);
  expect(JSON.stringify(lines)).not.toContain('"changed"');
});

it('says if a change needs a restart, and says it once', async () => {
  apply = async () => false;
  await at(0);
  stored.set(OTHER, { value: 'changed', refresh_after_ms: 10_000 });
  for (const time of [10_000, 20_000, 30_000]) await at(time);
  expect(lines).toEqual([{ event: 'secret_needs_restart', references: [OTHER] }]);
});

it('names the secrets that need a restart if others are applied at the same time', async () => {
  atStart = ONE;
  await at(0);
  for (const reference of [ONE, OTHER]) stored.set(reference, { value: 'changed', refresh_after_ms: 60_000 });
  await at(60_000);
  expect(lines).toEqual([
    { event: 'secret_changed', references: [OTHER] },
    { event: 'secret_needs_restart', references: [ONE] },
  ]);
});

it('keeps the last value of a secret that cannot be read, and reports each new failure and the recovery', async () => {
  await at(0);
  stored.set(ONE, new SecretError('vault: it cannot be reached, or is not ready'));
  for (const time of [60_000, 89_999, 90_000]) await at(time);
  expect(asked.filter((reference) => reference === ONE)).toHaveLength(2);
  stored.set(ONE, { value: 'a', refresh_after_ms: 60_000 });
  await at(120_000);
  expect(applied).toBe(0);
  expect(lines).toEqual([
    { event: 'secret_refresh_failed', reference: ONE, reason: 'vault: it cannot be reached, or is not ready' },
    { event: 'secret_refresh_recovered', reference: ONE },
  ]);
  expect(counted.filter((line) => line.startsWith('vault'))).toEqual(['vault failed', 'vault failed', 'vault same']);
});

it('tries again to apply a change that was refused', async () => {
  const works = apply;
  apply = () => Promise.reject(new TypeError('the value is in this message'));
  await at(0);
  stored.set(OTHER, { value: 'changed', refresh_after_ms: 10_000 });
  // The same reason is logged once.
  for (const time of [10_000, 40_000]) await at(time);
  apply = works;
  await at(70_000);
  expect(applied).toBe(1);
  expect(lines).toEqual([
    { event: 'secret_not_applied', references: [OTHER], reason: 'TypeError' },
    { event: 'secret_changed', references: [OTHER] },
  ]);
});

it('reads nothing after it was closed', async () => {
  await at(0);
  await refresh.close();
  stored.set(OTHER, { value: 'changed', refresh_after_ms: 10_000 });
  await at(10_000);
  expect([applied, counted, lines]).toEqual([0, [], []]);
});
