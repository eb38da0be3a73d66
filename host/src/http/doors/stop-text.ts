import type { Hint } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';

type Stop = NonNullable<RunOutcome['stop']>;

/**
 * What people read where a run was stopped, in every protocol: what happened, which guard stopped it, and what to do.
 * @param origin of the gateway as the caller reaches it, such as `https://gateway.example`
 */
export function stopText({ row, stop, tail }: RunOutcome, origin: string): string {
  const { run_id } = row;
  if (stop === null) return `This request ended without an answer (status ${row.status}, run ${run_id}).`;
  const subject = stop.stage === 'egress' ? 'the answer to this request' : 'this request';
  const why = reasonOf(stop);
  switch (stop.kind) {
    case 'blocked':
      return sentences(`The gateway ${effectOn(subject, tail)}: ${why}`, stop.hint, nextStep(stop, run_id));
    case 'paused':
      return sentences(
        `${capital(subject)} is waiting for approval: ${why}`,
        stop.hint,
        `${row.approvers.join(' or ') || 'An approver'} can approve it at ${origin}/approvals#run=${run_id}`,
        `Once it is approved, send it again, or read the answer at ${origin}/v1/runs/${run_id}/response`,
      );
    case 'denied':
      return row.approver === null
        ? sentences(
            `${capital(subject)} was not approved in time: ${why}`,
            undefined,
            `Send it again and ask an approver to decide, or give the operator run ${run_id}`,
          )
        : sentences(
            `${row.approver.principal_id} denied ${subject}: ${why}`,
            undefined,
            `Change it, or ask about run ${run_id}`,
          );
  }
}

function reasonOf({ node, code }: Stop): string {
  return code === 'SVC-NODE-001' ? `guard "${node}" failed (${code})` : `guard "${node}" (${code})`;
}

/** A part of a streamed answer has left. */
function effectOn(subject: string, tail: RunOutcome['tail']): string {
  if (tail === null) return `blocked ${subject}`;
  return tail.at(-1)?.svc_event === 'late_violation' ? 'found a violation in this answer; do not use it' : 'stopped this answer here';
}

function nextStep({ code, hint }: Stop, run_id: string): string {
  if (hint !== undefined) return `The run is ${run_id}`;
  const again = code === 'SVC-NODE-001' ? 'Send the request again later' : 'Change the request and send it again';
  return `${again}, or give the operator run ${run_id}`;
}

/** @param hint a sentence of its own */
function sentences(first: string, hint: Hint | undefined, ...rest: readonly string[]): string {
  return [`${first}.`, ...(hint === undefined ? [] : [hint.text]), ...rest.map((text) => `${text}.`)].join(' ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
