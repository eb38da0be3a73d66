import { describe, expect, test } from 'vitest';
import { fakeClock } from './clock.ts';
import { fakeGuardContext } from './guard-context.ts';
import { fakePluginDeps } from './plugin-deps.ts';

describe('fake plugin dependencies', () => {
  test('keep log lines, refuse the network', async () => {
    const deps = fakePluginDeps();
    deps.logger.warn({ code: 'x' }, 'said');
    expect(deps.logger.lines).toEqual([{ level: 'warn', fields: { code: 'x' }, message: 'said' }]);
    await expect(deps.fetch('http://localhost')).rejects.toThrow('pass fetch');
  });

  test('take overrides and share nothing', () => {
    const clock = { now: () => 5, monotonic: () => 5 };
    expect(fakePluginDeps({ clock }).clock).toBe(clock);
    expect(fakePluginDeps().counters).not.toBe(fakePluginDeps().counters);
    expect(fakeGuardContext().state).not.toBe(fakeGuardContext().state);
    expect(fakeGuardContext({ stage: 'egress' }).stage).toBe('egress');
  });

  test('setting the wall clock does not change durations', () => {
    const clock = fakeClock(1000);
    clock.advance(50);
    clock.set(7);
    expect([clock.now(), clock.monotonic()]).toEqual([7, 50]);
  });
});
