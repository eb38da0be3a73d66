import type { AnswerIdentity, Clock } from '@svc/contracts';

interface Answering {
  readonly run_id: string;
  readonly route: { readonly name: string };
  readonly request: { readonly model: string };
  /** The run that this one continues. Null or absent: none. */
  readonly continues?: string | null;
  /** Null: the run cannot be continued. */
  readonly conversation?: object | null;
}

/**
 * The head of an answer, and of every frame that has one. The gateway creates it. `model` is the route's name, or the requested name if the route has
 * a pattern: callers see routes, and the ledger records the actual model.
 */
export function identityOf(
  { run_id, route, request, continues = null, conversation = null }: Answering,
  clock: Clock,
): AnswerIdentity {
  return {
    id: run_id,
    created: Math.floor(clock.now() / 1000),
    model: route.name.endsWith('*') ? request.model : route.name,
    ...(continues === null ? {} : { continues }),
    isKept: conversation !== null,
  };
}
