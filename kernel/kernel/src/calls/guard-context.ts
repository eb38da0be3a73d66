import type { Endpoint, GuardContext, JsonObject, Protocol, RequestBody, Stage } from '@svc/contracts';
import type { CallScope } from './guard-call.ts';

/** As much of a request as a guard may know. */
interface AskedAbout {
  readonly run_id: string;
  readonly principal_id: string;
  /** Of a run; absent for a request without one, which counts for no team. */
  readonly row?: { readonly team?: string };
  readonly route: { readonly name: string; readonly endpoints: readonly Endpoint[] };
  readonly protocol: Protocol;
  readonly request: RequestBody;
  /** Of a request that asks for vectors: what happens to what a guard would mask. */
  readonly embedding?: 'block' | 'mask' | null;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
}

/** What few guards ask for is made when they do. */
export function guardContext(
  run: AskedAbout,
  node: { readonly name: string; readonly mode: GuardContext['mode'] },
  stage: Stage,
  call: CallScope,
): GuardContext {
  const { answers, max_output_tokens } = run.protocol.factsOf(run.request);
  let state = run.states.get(node.name);
  if (state === undefined) {
    state = {};
    run.states.set(node.name, state);
  }
  return {
    run_id: run.run_id,
    route: run.route.name,
    principal_id: run.principal_id,
    team: run.row?.team ?? null,
    node: node.name,
    stage,
    mode: node.mode,
    state,
    choices: answers,
    max_output_tokens: run.embedding == null ? max_output_tokens : 0,
    get endpoints() {
      return run.route.endpoints.map(endpointOf);
    },
    get signal() {
      return call.signal;
    },
    runInWorker: (moduleUrl, input) => call.runInWorker(moduleUrl, input),
  };
}

/** What guards are told of an endpoint. */
function endpointOf({ provider, model, region, price }: Endpoint): Endpoint {
  return { provider, model, region, ...(price !== undefined && { price }) };
}
