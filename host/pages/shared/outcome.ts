import { ApiError, problemText } from './api-error.ts';
import type { Decision, Run, RunEvent } from './api-types.ts';

/** What a visitor's own decision led to. */
export function ownOutcome(decision: Decision, status: string): string {
  if (decision === 'denied') return 'You denied this request. It ended without an answer.';
  switch (status) {
    case 'completed':
      return 'You approved this request. It is completed, and its answer can be fetched by whoever asked.';
    case 'paused':
      return 'You approved this request. Another guard asks for approval now: see the new entry.';
    case 'blocked':
      return 'You approved this request, but a later guard blocked it.';
    case 'error':
      return 'You approved this request, but it ended with an error.';
    default:
      return `You approved this request. It is ${status} now.`;
  }
}

/** Why a run waits no longer although the visitor did not decide. */
export function otherOutcome({ events, status }: Run): string {
  // An erasure after the end of a run did not end it.
  const isCause = ({ event_type }: RunEvent, index: number): boolean =>
    ['decision', 'expired'].includes(event_type) ||
    (event_type === 'erased' && events.slice(index).some((later) => later.event_type === 'state'));
  const last = events.findLast(isCause);
  if (last?.event_type === 'erased') return 'The content of this request was erased, and with that it was denied.';
  if (last?.event_type === 'expired') return 'This request waited too long and was denied.';
  const { decision, principal_id } = last === undefined ? {} : decisionOf(last);
  if (decision === undefined) return `This request does not wait any more. It is ${status} now.`;
  const now = status === 'paused' ? 'Another guard asks for approval now: see the new entry.' : `It is ${status} now.`;
  return `Someone else decided first: ${principal_id ?? 'another approver'} ${decision} this request. ${now}`;
}

function decisionOf({ data }: RunEvent): { decision?: string; principal_id?: string } {
  const { decision, principal_id } = data;
  return {
    ...(typeof decision === 'string' ? { decision } : {}),
    ...(typeof principal_id === 'string' ? { principal_id } : {}),
  };
}

/** What became of an attempt to read or decide a run that the gateway refused. */
export type Refusal =
  /** It waits no longer. */
  | { readonly kind: 'decided' }
  /** The visitor may not decide. */
  | { readonly kind: 'forbidden' }
  /** It cannot be decided now; `text` says why. */
  | { readonly kind: 'problem'; readonly text: string };

export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError)) return { kind: 'problem', text: problemText(error) };
  if (error.status === 403) return { kind: 'forbidden' };
  if (error.code === 'SVC-RUN-002' || error.status === 404) return { kind: 'decided' };
  if (error.code === 'SVC-RUN-003') {
    return { kind: 'problem', text: `${error.message} It stays paused until the route is there again.` };
  }
  return { kind: 'problem', text: error.message };
}
