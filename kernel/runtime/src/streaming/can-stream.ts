import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';

/**
 * Whether answers of this route may be streamed live. If a node needs the whole answer, may pause the run, or may fail open (the text that a
 * failed guard held back is lost), or the route has a rule for parts that no guard can read, the whole answer is judged first.
 */
export function canStream({ egress, unscannable }: RuntimeRoute): boolean {
  return unscannable === 'pass' && egress.every(canStreamThrough);
}

function canStreamThrough({ guard, mode, on_error }: PipelineNode): boolean {
  // An observing node judges the answer after it was sent: see GatheredStream.
  if (mode === 'observe') return true;
  return guard.stream !== undefined && on_error === 'block' && !guard.verdicts.includes('require_approval');
}
