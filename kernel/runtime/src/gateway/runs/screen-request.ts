import { cloneJson, isSvcError, type Protocol, type RequestBody } from '@svc/contracts';
import { type RunStop, stopOnAbort } from '@svc/kernel';
import { newRunId } from '@svc/kernel/admission';
import { askNode, type CallEnv, stopOf, withAdded } from '@svc/kernel/guards';
import { anyEnforces, anyReadsNumbers, type PipelineNode, ROUTE_DEFAULTS } from '@svc/kernel/routes';
import { texts } from '../../texts/texts.ts';

export interface Screening extends Pick<CallEnv, 'clock' | 'workers' | 'observer'> {
  /** `ctx.route`, as guards see it. */
  readonly name: string;
  readonly nodes: readonly PipelineNode[];
  readonly principal_id: string;
  readonly signal: AbortSignal;
}

/**
 * Lets guards check and edit a request that belongs to no run. Calls no model and records nothing.
 * @returns null if all guards allow the request, which then has their edits
 */
export async function screenRequest(protocol: Protocol, request: RequestBody, screening: Screening): Promise<RunStop | null> {
  const { name, nodes, principal_id, signal, clock, workers, observer } = screening;
  const route = { ...ROUTE_DEFAULTS, name, endpoints: [] };
  const run_id = newRunId(clock.now());
  const screened = { run_id, principal_id, route, protocol, request, states: new Map(), abort: { signal }, bytes: null };
  const call: CallEnv = { clock, workers, observer, run_id: null, route: name, stage: 'ingress', principal_id, admitted: false };
  const enforces = anyEnforces(nodes);
  let payload = texts.ofRequest({ protocol, request: enforces ? request : cloneJson(request), route }, anyReadsNumbers(nodes));
  if (isSvcError(payload)) return enforces ? { kind: 'failed', stage: 'ingress', error: payload } : null;
  for (const [index, node] of nodes.entries()) {
    await payload.turn(principal_id);
    const judged = await askNode(screened, node, 'ingress', payload, call);
    payload = withAdded(screened, nodes, judged, payload, texts);
    const stop = stopOnAbort(screened) ?? stopOf(judged, 'ingress', node, index, () => false);
    if (stop !== null) return stop;
  }
  return null;
}
