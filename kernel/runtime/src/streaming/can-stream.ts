import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';

/**
 * Whether answers of this route may be streamed live. The whole answer is checked first in these cases: a node needs it, may pause the run, or may
 * fail open (because the text that a failed guard held back would be lost); or the route has a rule for parts that no guard can read.
 */
export function canStream({ egress, unscannable }: RuntimeRoute): boolean {
  return unscannable === 'pass' && egress.every(canStreamThrough);
}

function canStreamThrough({ guard, mode, on_error }: PipelineNode): boolean {
  // An observing node checks the answer after it was sent, see GatheredStream.
  if (mode === 'observe') return true;
  return guard.stream !== undefined && on_error === 'block' && !guard.verdicts.includes('require_approval');
}
