import { afterEach, expect, it, vi } from 'vitest';
import { drainDelayMs } from './drain.ts';

const { stdout, stderr } = process;
afterEach(() => vi.unstubAllGlobals());

function delayWith(terminals: { stdout: boolean; stderr: boolean }, configured_ms: number | null): number {
  vi.stubGlobal('process', {
    ...process,
    stdout: { ...stdout, isTTY: terminals.stdout },
    stderr: { ...stderr, isTTY: terminals.stderr },
  });
  return drainDelayMs(configured_ms);
}

it.each([
  [{ stdout: false, stderr: false }, 5000],
  [{ stdout: true, stderr: true }, 0],
  [{ stdout: false, stderr: true }, 0],
  [{ stdout: true, stderr: false }, 0],
])('%o: %d ms unless the configuration says otherwise', (terminals, by_default) => {
  expect(delayWith(terminals, null)).toBe(by_default);
  for (const configured_ms of [0, 7000]) expect(delayWith(terminals, configured_ms)).toBe(configured_ms);
});
