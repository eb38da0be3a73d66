import type { Guard, GuardContext, JsonObject, Stage } from '@svc/contracts';
import { fakeGuardContext } from '../fakes/guard-context.ts';
import { type FakeLogger, fakeLogger } from '../fakes/logger.ts';
import { fakePluginDeps } from '../fakes/plugin-deps.ts';
import type { GuardConformanceOptions } from './options.ts';

/** A started guard, and the arguments that the suite passes to it. */
export interface Subject {
  readonly guard: Guard;
  readonly logger: FakeLogger;
  /** A frozen context, with a mutable `state`. Two contexts with the same number belong to the same run. */
  context(stage: Stage, state?: JsonObject, run?: number): GuardContext;
}

export type WithSubject = <R>(use: (subject: Subject) => R | Promise<R>) => Promise<R>;

/** Starts a new guard for each use and closes it afterwards. */
export function subjects(options: GuardConformanceOptions): WithSubject {
  return async (use) => {
    const logger = fakeLogger();
    const guard = await options.guard(fakePluginDeps({ logger }));
    await guard.start?.();
    try {
      return await use({
        guard,
        logger,
        context: (stage, state = {}, run = 0) =>
          Object.freeze(fakeGuardContext({ run_id: runId(run), ...options.context, stage, state })),
      });
    } finally {
      await guard.close?.();
    }
  };
}

function runId(run: number): string {
  return `01900000-0000-7000-8000-${run.toString(16).padStart(12, '0')}`;
}
