import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason } from 'vitest/node';

/**
 * Prints `N passed, N failed` as the very last line. A file that cannot be loaded counts as failed. On SIGTERM, such as from a CI time limit, it
 * first prints what is still running.
 */
export default class SummaryReporter implements Reporter {
  readonly #running = new Map<string, RunningModule>();
  /** The runner later creates another object for the same module. The last one has the results. */
  readonly #modules = new Map<string, TestModule>();
  readonly #onTerm = (): void => {
    process.stdout.write(`\nstill running:\n${runningLines([...this.#running.values()], performance.now())}\n`);
    this.#printAtExit(summaryLine([...this.#modules.values()], [], 'interrupted'));
  };

  onTestRunStart(): void {
    process.once('SIGTERM', this.#onTerm);
  }

  onTestModuleQueued({ id, relativeModuleId: path }: TestModule): void {
    this.#running.set(id, { path, since: performance.now(), tests: new Set() });
  }

  onTestModuleCollected(module: TestModule): void {
    this.#modules.set(module.id, module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#modules.set(module.id, module);
    this.#running.delete(module.id);
  }

  onTestCaseReady({ module, fullName }: TestCase): void {
    this.#running.get(module.id)?.tests.add(fullName);
  }

  onTestCaseResult({ module, fullName }: TestCase): void {
    this.#running.get(module.id)?.tests.delete(fullName);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[], reason: TestRunEndReason): void {
    process.off('SIGTERM', this.#onTerm);
    this.#printAtExit(summaryLine(modules, unhandled, reason));
  }

  #printAtExit(line: string): void {
    // Waits, because Vitest's own reporter still prints after this hook.
    process.once('exit', () => {
      process.stdout.write(`${line}\n`);
      // Other exit hooks, such as the test database's, must not hide a failure.
      if (!line.endsWith(', 0 failed')) process.exitCode = 1;
    });
  }
}

/** A module that has started and not ended. */
export interface RunningModule {
  readonly path: string;
  /** Start time, from `performance.now()`. */
  readonly since: number;
  /** Names of its running tests; none while the module loads or runs a file-level hook. */
  readonly tests: Set<string>;
}

export function runningLines(running: readonly RunningModule[], now: number): string {
  const lineOf = ({ path, since, tests }: RunningModule): string =>
    [`${path}, for ${Math.round((now - since) / 1000)} s`, ...tests].join('\n    ');
  return running.length === 0
    ? '  nothing: all test files have ended, but a process is still running'
    : running.map((module) => `  ${lineOf(module)}`).join('\n');
}

/** The parts of a module used for the summary line. */
export interface CountedModule {
  readonly children: {
    allTests(): Iterable<{ result(): { state: string } }>;
    allSuites(): Iterable<{ errors(): readonly unknown[] }>;
  };
  /** Errors outside of tests and suites, in imports or hooks. */
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
  // An interrupted run, or one without tests, has not passed.
  const broken = failed === 0 && (reason !== 'passed' || states.length === 0);
  return `${passed} passed, ${broken ? 1 : failed} failed`;
}
