import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';

/**
 * Whether answers on this route may be streamed live. They are checked as a whole first if a node needs that, may pause the run, or may fail open
 * (the text that a failed guard held back would be lost), or if the route has a rule for parts that no guard can read.
 */
export function canStream({ egress, unscannable }: RuntimeRoute): boolean {
  return unscannable === 'pass' && egress.every(canStreamThrough);
}

function canStreamThrough({ guard, mode, on_error }: PipelineNode): boolean {
  // An observing node may check the answer after it was sent, see GatheredStream.
  if (mode === 'observe') return true;
  return guard.stream !== undefined && on_error === 'block' && !guard.verdicts.includes('require_approval');
}
