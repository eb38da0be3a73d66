import { AssertionError } from 'node:assert';
import { failed, nameOf } from './assert.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** Makes every failure report the expected and the actual value. If the plugin threw, the plugin's error is the cause. */
export function explained(cases: readonly ConformanceCase[]): ConformanceCase[] {
  return cases.map((one) => {
    if (one.left_out) return one;
    const run = async (): Promise<void> => {
      try {
        await one.run();
      } catch (error) {
        throw error instanceof AssertionError ? error : failed('no error', nameOf(error), undefined, error);
      }
    };
    return { ...one, run };
  });
}
