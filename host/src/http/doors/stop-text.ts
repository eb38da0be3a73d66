import type { RunOutcome } from '@svc/kernel';
import type { ReportedStop } from '@svc/runtime';

type Stop = NonNullable<RunOutcome['stop']>;

/**
 * The message of a stopped run in every protocol, as one line: what happened, which guard stopped the run, and what to do.
 * @param origin the gateway's origin as the client reaches it, such as `https://gateway.example`
 */
export function stopText(outcome: RunOutcome, origin: string): string {
  const { row, stop } = outcome;
  if (stop === null) return `This request ended without an answer (status ${row.status}, run ${row.run_id}).`;
  const hint = stop.hint === undefined ? '' : ` ${stop.hint.text}`;
  const reason = stop.reason === undefined ? '' : ` Reason: "${stop.reason}".`;
  return `${whatOf(outcome, stop)}: ${guardOf(stop)}.${hint}${reason} ${nextStep(outcome, stop, origin)}`;
}

/**
 * Whether a text is exactly the message of this stop. Hints are not stored, so any line of the right length is accepted in place of a hint or a
 * reason.
 */
export function isStopText(text: string, reported: ReportedStop, origin: string): boolean {
  const { stop } = reported;
  const start = `${whatOf(reported, stop)}: ${guardOf(stop)}.`;
  const end = ` ${nextStep(reported, stop, origin)}`;
  const hint = text.slice(start.length, -end.length);
  const isHint = hint === '' || (stop.kind === 'paused' ? /^ .{1,300}$/ : /^ Reason: ".{1,1000}"\.$/).test(hint);
  return text === `${start}${hint}${end}` && isHint;
}

function whatOf({ row, tail }: Pick<RunOutcome, 'row' | 'tail'>, { kind, stage }: Stop): string {
  const it = stage === 'egress' ? 'the answer to this request' : 'this request';
  switch (kind) {
    case 'blocked':
      if (tail === null) return `The gateway blocked ${it}`;
      // A part of the answer was sent.
      return tail.at(-1)?.svc_event === 'late_violation'
        ? 'The gateway found a violation in this answer; do not use it'
        : 'The gateway stopped this answer here';
    case 'paused':
      return `T${it.slice(1)} is waiting for approval`;
    case 'denied':
      return row.approver?.decision === 'denied'
        ? `${row.approver.principal_id} denied ${it}`
        : `T${it.slice(1)} was not approved in time`;
  }
}

function guardOf({ kind, node, code }: Stop): string {
  if (code === 'SVC-NODE-001') return `guard "${node}" failed (${code})`;
  return `guard "${node}" (${code})${kind === 'denied' ? ' asked for approval' : ''}`;
}

function nextStep({ row }: Pick<RunOutcome, 'row'>, { kind, stage, code, hint }: Stop, origin: string): string {
  const { run_id, approvers, approver } = row;
  if (kind === 'paused') {
    const who = approvers.length === 0 ? 'An approver' : approvers.join(' or ');
    const again = `send ${stage === 'egress' ? 'the request' : 'it'} again`;
    return `${who} can approve it at ${origin}/approvals#run=${run_id}. Once it is approved, ${again}, or read the answer at ${origin}/v1/runs/${run_id}/response.`;
  }
  // The guard's hint says what to do.
  if (hint !== undefined) return `The run is ${run_id}.`;
  const unread = kind === 'denied' && approver?.decision !== 'denied';
  const changed = code === 'SVC-NODE-001' ? 'Send the request again later' : 'Change the request and send it again';
  return `${unread ? 'Send the request again and ask an approver to decide' : changed}, or give the operator run ${run_id}.`;
}
