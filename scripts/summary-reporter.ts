import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node';

/** Prints `N passed, N failed` as the very last line. What could not even be loaded counts as failed. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[], reason: TestRunEndReason): void {
    const line = summaryLine(modules, unhandled, reason);
    // Vitest's own reporter still has its say after this hook.
    process.once('exit', () => {
      process.stdout.write(`${line}\n`);
      // Whatever else ends the process at its end (the test database's own hook does) must not hide a failure.
      if (!line.endsWith(', 0 failed')) process.exitCode = 1;
    });
  }
}

/** What the line needs to know of a module. */
export interface CountedModule {
  readonly children: {
    allTests(): Iterable<{ result(): { state: string } }>;
    allSuites(): Iterable<{ errors(): readonly unknown[] }>;
  };
  /** Errors outside its tests and suites: on import, in a hook. */
  errors(): readonly unknown[];
}

export function summaryLine(modules: readonly CountedModule[], unhandled: readonly unknown[], reason: TestRunEndReason): string {
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
  const passed = states.filter((state) => state === 'passed').length;
  const outside = [
    ...modules.flatMap((module) => [module, ...module.children.allSuites()]).flatMap((at) => at.errors()),
    ...unhandled,
  ];
  const failed = states.filter((state) => state === 'failed').length + outside.length;
  // A run that broke off, or that found nothing to run, has not passed.
  const broken = failed === 0 && (reason !== 'passed' || states.length === 0);
  return `${passed} passed, ${broken ? 1 : failed} failed`;
}
