import { withTimeout } from '@svc/contracts';
import type { PipelineNode } from '../core/route.ts';

const GUARD_START_MS = 60_000;

/** @throws with the guard's name, if it fails or takes too long */
export async function startGuard(node: PipelineNode): Promise<void> {
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
