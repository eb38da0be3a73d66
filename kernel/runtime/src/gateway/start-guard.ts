import { type Guard, withTimeout } from '@svc/contracts';
import type { PipelineNode } from '@svc/kernel/routes';

const GUARD_START_MS = 60_000;

/** Starts each guard once, however many nodes and configurations use it. */
export class GuardStarts {
  readonly #started = new WeakSet<Guard>();

  /** Starts the guards one after another. @throws an error with the name of the first that fails or takes too long */
  async start(nodes: readonly PipelineNode[]): Promise<void> {
    for (const node of nodes) {
      if (this.#started.has(node.guard)) continue;
      await startGuard(node);
      this.#started.add(node.guard);
    }
  }
}

async function startGuard(node: PipelineNode): Promise<void> {
  if (node.guard.start === undefined) return;
  const where = `guard "${node.name}" (${node.package} ${node.version})`;
  try {
    const started = await withTimeout(node.guard.start(), GUARD_START_MS);
    if (started.done) return;
  } catch (cause) {
    throw new Error(`${where} failed to start`, { cause });
  }
  throw new Error(`${where} did not start within ${GUARD_START_MS / 1000} s`);
}
