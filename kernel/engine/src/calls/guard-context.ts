import type { ChatRequest, Endpoint, GuardContext, JsonObject, Stage } from '@svc/contracts';
import type { CallScope } from './guard-call.ts';

/** As much of a request as a guard may know. */
interface AskedAbout {
  readonly run_id: string;
  readonly principal_id: string;
  /** Of a run; absent for a request without one, which counts for no team. */
  readonly row?: { readonly team?: string };
  readonly route: { readonly name: string; readonly endpoints: readonly Endpoint[] };
  readonly request: ChatRequest;
  /** Of a request that asks for vectors: what happens to what a guard would mask. */
  readonly embedding?: 'block' | 'mask' | null;
  /** State of each node by name. */
  readonly states: Map<string, JsonObject>;
}

interface AskedNode {
  readonly name: string;
  readonly mode: GuardContext['mode'];
}

/** What a guard is told in one of its calls. What few guards ask for is made when they do. */
export class NodeContext implements GuardContext {
  readonly run_id: string;
  readonly route: string;
  readonly principal_id: string;
  readonly team: string | null;
  readonly node: string;
  readonly stage: Stage;
  readonly mode: GuardContext['mode'];
  readonly state: JsonObject;
  readonly choices: number;
  readonly max_output_tokens: number | null;
  /** Guards may take it out of the context. */
  readonly runInWorker: GuardContext['runInWorker'];
  readonly #run: AskedAbout;
  readonly #call: CallScope;

  constructor(run: AskedAbout, { name, mode }: AskedNode, stage: Stage, call: CallScope) {
    const { n, max_completion_tokens, max_tokens } = run.request;
    this.run_id = run.run_id;
    this.route = run.route.name;
    this.principal_id = run.principal_id;
    this.team = run.row?.team ?? null;
    this.node = name;
    this.stage = stage;
    this.mode = mode;
    this.state = run.states.get(name) ?? {};
    run.states.set(name, this.state);
    this.choices = Number.isInteger(n) && n !== undefined && n > 0 ? n : 1;
    this.max_output_tokens = run.embedding == null ? mostOutput(max_completion_tokens, max_tokens) : 0;
    this.runInWorker = (moduleUrl, input) => call.runInWorker(moduleUrl, input);
    this.#run = run;
    this.#call = call;
  }

  get endpoints(): readonly Endpoint[] {
    return this.#run.route.endpoints.map(({ provider, model, region }) => ({ provider, model, region }));
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}

/** Of two bounds the looser one: which of them a provider heeds is its own affair. One that a guard masked is a text, and no bound. */
function mostOutput(one: unknown, other: unknown): number | null {
  if (typeof one !== 'number') return typeof other === 'number' ? other : null;
  return typeof other === 'number' ? Math.max(one, other) : one;
}
