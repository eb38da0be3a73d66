import { ApiError, problemText } from './api-error.ts';
import type { Decision, Run, RunEvent } from './api-types.ts';

/** The result of a visitor's own decision. `runs`: the number of runs that it decided. */
export function ownOutcome(decision: Decision, status: string, runs = 1): string {
  if (runs > 1) return groupOutcome(decision, runs);
  if (decision === 'denied') return 'You denied this request. It ended without an answer.';
  switch (status) {
    case 'completed':
      return 'You approved this request. It has completed, and the caller can fetch the answer.';
    case 'paused':
      return 'You approved this request. Another guard now requires approval: see the new entry.';
    case 'blocked':
      return 'You approved this request, but a later guard blocked it.';
    case 'error':
      return 'You approved this request, but it ended with an error.';
    default:
      return `You approved this request. Its status is now ${status}.`;
  }
}

/** Each run has its own outcome. There may be more copies: a passkey signs for at most 101. */
function groupOutcome(decision: Decision, runs: number): string {
  if (decision === 'denied') return `You denied ${runs} copies of this request.`;
  return `You approved ${runs} copies of this request.`;
}

/** What followed an approval. */
const APPROVED: Readonly<Record<string, string>> = {
  completed: ' It has completed.',
  paused: ' Another guard now requires approval: see the new entry.',
  blocked: ' A later guard blocked it.',
  error: ' It ended with an error.',
};

/** Why a run is no longer pending although the visitor did not decide it. */
export function otherOutcome({ events, status }: Pick<Run, 'events' | 'status'>): string {
  // If the content was erased after the run ended, the erasure did not end it.
  const isCause = ({ event_type }: RunEvent, index: number): boolean =>
    ['decision', 'expired'].includes(event_type) ||
    (event_type === 'erased' && events.slice(index).some((later) => later.event_type === 'state'));
  const last = events.findLast(isCause);
  if (last?.event_type === 'erased') return 'The content of this request was erased, so the request was denied.';
  if (last?.event_type === 'expired') return 'The approval timed out, so this request was denied.';
  const { decision, principal_id } = last === undefined ? {} : decisionOf(last);
  if (decision === undefined) return `This request is no longer pending. Its status is now ${status}.`;
  const followed = decision === 'denied' ? ' It ended without an answer.' : (APPROVED[status] ?? '');
  return `${principal_id ?? 'Another approver'} ${decision} this request.${followed}`;
}

function decisionOf({ data }: RunEvent): { decision?: string; principal_id?: string } {
  const { decision, principal_id } = data;
  return {
    ...(typeof decision === 'string' ? { decision } : {}),
    ...(typeof principal_id === 'string' ? { principal_id } : {}),
  };
}

/** Why the gateway refused to return or decide a run. */
export type RunRefusal =
  /** It is no longer pending. */
  | { readonly kind: 'decided' }
  /** The visitor may not decide. */
  | { readonly kind: 'forbidden' }
  /** It cannot be decided now; `text` says why. */
  | { readonly kind: 'problem'; readonly text: string };

export function refusalOf(error: unknown): RunRefusal {
  if (!(error instanceof ApiError)) return { kind: 'problem', text: problemText(error) };
  if (error.code === 'SVC-AUTH-005') return { kind: 'problem', text: error.message };
  if (error.status === 403) return { kind: 'forbidden' };
  if (error.code === 'SVC-RUN-002' || error.status === 404) return { kind: 'decided' };
  if (error.code === 'SVC-RUN-003') {
    return { kind: 'problem', text: `${error.message} It stays paused until the route is restored.` };
  }
  return { kind: 'problem', text: error.message };
}
