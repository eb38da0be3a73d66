import {
  type AnswerBody,
  type AnswerTools,
  type Endpoint,
  type GuardContext,
  type JsonObject,
  type Protocol,
  type RequestBody,
  runTools,
  type Stage,
} from '@svc/contracts';
import type { CallScope } from './guard-call.ts';

/** The parts of a request that a guard may see. */
interface AskedAbout {
  readonly run_id: string;
  readonly principal_id: string;
  /** The run's team and session. Absent for a request without a run, which is counted for neither. */
  readonly row?: { readonly team?: string; readonly session?: string };
  readonly route: { readonly name: string; readonly endpoints: readonly Endpoint[] };
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly completion?: AnswerBody | null;
  /** For embeddings: what happens if a guard masks text. */
  readonly embedding?: 'block' | 'mask' | null;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
}

/** Created on demand, because few guards need it. */
export function guardContext(
  run: AskedAbout,
  node: { readonly name: string; readonly mode: GuardContext['mode'] },
  stage: Stage,
  call: CallScope & { readonly answerTools?: () => AnswerTools },
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
    session: run.row?.session ?? null,
    node: node.name,
    stage,
    mode: node.mode,
    state,
    choices: answers,
    max_output_tokens: run.embedding == null ? max_output_tokens : 0,
    get tools() {
      return runTools(run.protocol, run.request, stage === 'egress' ? run.completion : null, call.answerTools);
    },
    get endpoints() {
      return run.route.endpoints.map(endpointOf);
    },
    get signal() {
      return call.signal;
    },
    runInWorker: (moduleUrl, input) => call.runInWorker(moduleUrl, input),
  };
}

/** The part of an endpoint that guards may see. */
function endpointOf({ provider, model, region, price }: Endpoint): Endpoint {
  return { provider, model, region, ...(price !== undefined && { price }) };
}
