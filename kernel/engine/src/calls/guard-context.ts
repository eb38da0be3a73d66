import type { ChatRequest, Endpoint, GuardContext, JsonObject, Stage } from '@svc/contracts';
import type { CallScope } from './guard-call.ts';

/** As much of a request as a guard may know. */
interface AskedAbout {
  readonly run_id: string;
  readonly principal_id: string;
  readonly route: { readonly name: string; readonly endpoints: readonly Endpoint[] };
  readonly request: ChatRequest;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
}

/** What few guards ask for is made when they do. */
export class CallContext implements GuardContext {
  readonly run_id: string;
  readonly route: string;
  readonly principal_id: string;
  readonly node: string;
  readonly stage: Stage;
  readonly mode: GuardContext['mode'];
  readonly state: JsonObject;
  readonly choices: number;
  readonly max_output_tokens: number | null;
  readonly runInWorker: GuardContext['runInWorker'];
  readonly #call: CallScope;
  readonly #endpoints: readonly Endpoint[];

  constructor(
    { run_id, route, principal_id, states, request }: AskedAbout,
    node: { readonly name: string; readonly mode: GuardContext['mode'] },
    stage: Stage,
    call: CallScope,
  ) {
    const { n, max_completion_tokens, max_tokens } = request;
    let state = states.get(node.name);
    if (state === undefined) {
      state = {};
      states.set(node.name, state);
    }
    this.run_id = run_id;
    this.route = route.name;
    this.principal_id = principal_id;
    this.node = node.name;
    this.stage = stage;
    this.mode = node.mode;
    this.state = state;
    this.choices = Number.isInteger(n) && n !== undefined && n > 0 ? n : 1;
    this.max_output_tokens = mostOutput(max_completion_tokens, max_tokens);
    this.runInWorker = (moduleUrl, input) => call.runInWorker(moduleUrl, input);
    this.#call = call;
    this.#endpoints = route.endpoints;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get endpoints(): readonly Endpoint[] {
    return this.#endpoints.map(({ provider, model, region }) => ({ provider, model, region }));
  }
}

/** Of two bounds the looser one: which of them a provider heeds is its own affair. One that a guard masked is a text, and no bound. */
function mostOutput(one: unknown, other: unknown): number | null {
  if (typeof one !== 'number') return typeof other === 'number' ? other : null;
  return typeof other === 'number' ? Math.max(one, other) : one;
}
