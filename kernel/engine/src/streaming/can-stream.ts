import type { PipelineNode, RuntimeRoute } from '../core/route.ts';

/**
 * Whether an answer of this route may leave as it comes. Where one node needs all of it, may pause the run, or may fail open (what a
 * failed guard held back is lost), or the route has a rule for parts that no guard reads, the whole answer is judged first.
 */
export function canStream({ egress, unscannable }: RuntimeRoute): boolean {
  return unscannable === 'pass' && egress.every(canStreamThrough);
}

function canStreamThrough({ guard, mode, on_error }: PipelineNode): boolean {
  // Who only observes is shown what has left: see GatheredStream.
  if (mode === 'observe') return true;
  return guard.stream !== undefined && on_error === 'block' && !guard.verdicts.includes('require_approval');
}
