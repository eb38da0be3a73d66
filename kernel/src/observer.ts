import type { RunStatus, Stage, Verdict } from './contracts/index.ts';

/**
 * What the kernel tells whoever measures it. Calls are synchronous and must be quick; what they throw is swallowed, so that
 * watching can never change what is enforced. Names come from the configuration only.
 */
export interface Observer {
  /** A run has taken this status, on disk. */
  run(route: string, status: RunStatus): void;
  /** A guard gave a verdict; `observed` where its mode only records. */
  verdict(node: string, stage: Stage | 'execute', verdict: Verdict, observed: boolean, duration_ms: number): void;
  /** A group of changes was written. */
  commit(duration_ms: number, changes: number): void;
}

/** An observer that can throw without harm. */
export function harmless(observer: Observer): Observer {
  const quietly = (call: () => void): void => {
    try {
      call();
    } catch {
      // Watching must not change what happens.
    }
  };
  return {
    run: (...args) => quietly(() => observer.run(...args)),
    verdict: (...args) => quietly(() => observer.verdict(...args)),
    commit: (...args) => quietly(() => observer.commit(...args)),
  };
}
