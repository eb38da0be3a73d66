import type { ChatRequest } from '@svc/contracts';
import { type PipelineNode, screenRequest } from '@svc/kernel';
import { NO_WORKERS } from '../../../../kernel/engine/src/workers/guard-workers.ts';

/** Every text of a request that a guard is shown, whatever kind it is. */
export async function textsShown(request: ChatRequest): Promise<readonly string[]> {
  const shown: string[] = [];
  const node: PipelineNode = {
    name: 'reads',
    package: 'test',
    version: '0',
    namespaces: [],
    mode: 'enforce',
    scope: 'all',
    on_error: 'block',
    timeout_ms: 1_000,
    guard: {
      stages: ['ingress'],
      verdicts: ['allow'],
      reads_numbers: true,
      check: (segments) => {
        shown.push(...segments.map(({ text }) => text));
        return { verdict: 'allow', code: 'none', edits: [], findings: [] };
      },
    },
  };
  const clock = { now: () => 0, monotonic: () => 0 };
  const signal = new AbortController().signal;
  const stop = await screenRequest(request, { name: 'r', nodes: [node], principal_id: 'p', signal, clock, workers: NO_WORKERS });
  if (stop !== null) throw new Error(`stopped: ${stop.kind}`);
  return shown;
}
