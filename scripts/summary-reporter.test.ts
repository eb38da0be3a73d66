import { expect, it } from 'vitest';
import { type CountedModule, runningLines, summaryLine } from './summary-reporter.ts';

function moduleOf(states: string[], errors: unknown[] = [], suiteErrors: unknown[] = []): CountedModule {
  const allTests = () => states.map((state) => ({ result: () => ({ state }) }));
  return { children: { allTests, allSuites: () => [{ errors: () => suiteErrors }] }, errors: () => errors };
}

it('counts passed and failed tests, and not the skipped ones', () => {
  const modules = [moduleOf(['passed', 'failed', 'skipped']), moduleOf(['passed'])];
  expect(summaryLine(modules, [], 'failed')).toBe('2 passed, 1 failed');
});

it('counts a module that did not load, and errors that no test caught', () => {
  expect(summaryLine([moduleOf(['passed']), moduleOf([], [new Error('import')])], [], 'failed')).toBe('1 passed, 1 failed');
  expect(summaryLine([moduleOf(['passed'], [], [new Error('hook')])], [], 'failed')).toBe('1 passed, 1 failed');
  expect(summaryLine([moduleOf(['passed'])], [new Error('unhandled')], 'failed')).toBe('1 passed, 1 failed');
});

it('never calls a run that broke off or ran nothing a success', () => {
  expect(summaryLine([moduleOf(['passed'])], [], 'interrupted')).toBe('1 passed, 1 failed');
  expect(summaryLine([], [], 'passed')).toBe('0 passed, 1 failed');
});

it('names what is running when it must stop, and for how long', () => {
  const running = [
    { path: 'test/a.test.ts', since: 1_000, tests: new Set(['waits']) },
    { path: 'test/b.test.ts', since: 60_000, tests: new Set<string>() },
  ];
  expect(runningLines(running, 61_000)).toBe('  test/a.test.ts, for 60 s\n    waits\n  test/b.test.ts, for 1 s');
  expect(runningLines([], 61_000)).toContain('all test files have ended');
});
