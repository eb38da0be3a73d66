import type { RunEvidence } from '@svc/contracts';

const APPROVAL_EVENTS: ReadonlySet<string> = new Set(['paused', 'escalated', 'decision', 'reused', 'expired']);
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** A line for each pause, escalation, decision and expiry of a run. Signatures are in the record only. */
export function approvalLines({ seq, run_id, events }: RunEvidence): string {
  return events
    .filter(({ event_type }) => APPROVAL_EVENTS.has(event_type))
    .map(({ event_type: event, node, data: { signed, ...data } }) => {
      const isDecision = event === 'decision';
      return `${JSON.stringify({ seq, run_id, event, node, ...data, ...(isDecision && { passkey: signed !== undefined }) })}\n`;
    })
    .join('');
}

/** A line with each digest in the record of a run, by its place. With a content or a configuration at hand, an auditor finds its run here. */
export function digestLine({ seq, run_id, hash, events }: RunEvidence): string {
  const digests = events.flatMap(({ event_type, node, data }) =>
    Object.entries(data).flatMap(([name, value]) =>
      typeof value === 'string' && DIGEST.test(value) ? [{ event: event_type, node, name, digest: value }] : [],
    ),
  );
  return `${JSON.stringify({ seq, run_id, record: hash, digests })}\n`;
}
