import type { JsonObject } from '@svc/contracts';
import type { LedgerEvent } from './ledger-event.ts';

type Run = Extract<LedgerEvent['subject'], { kind: 'run' }>;
type Pair = readonly [id: number, caption: string];

/** `action_id` and `disposition_id` of the profile `security_control`. */
interface Control {
  readonly action: Pair;
  readonly disposition: Pair;
}

const ALLOWED: Control = { action: [1, 'Allowed'], disposition: [1, 'Allowed'] };
const APPROVED: Control = { action: [1, 'Allowed'], disposition: [8, 'Approved'] };
const MODIFIED: Control = { action: [4, 'Modified'], disposition: [11, 'Corrected'] };
const BLOCKED: Control = { action: [2, 'Denied'], disposition: [2, 'Blocked'] };
const REJECTED: Control = { action: [2, 'Denied'], disposition: [25, 'Rejected'] };
const FAILED: Control = { action: [0, 'Unknown'], disposition: [27, 'Error'] };

function controlOf({ status, ruling }: Run): Control {
  if (status === 'blocked') return BLOCKED;
  if (status === 'denied') return REJECTED;
  if (status !== 'completed') return FAILED;
  if (ruling?.verdict === 'require_approval') return APPROVED;
  return ruling === null ? ALLOWED : MODIFIED;
}

/** The attributes of a run. */
export function runParts(run: Run, service: JsonObject): JsonObject {
  const { ruling, model, tokens, client, session, status, failure, findings, approver } = run;
  const { action, disposition } = controlOf(run);
  const isSuccess = status === 'completed';
  return {
    actor: { user: { uid: run.principal_id, name: run.principal_id }, ...(session !== null && { session: { uid: session } }) },
    src_endpoint: client === null ? { name: 'unknown' } : { svc_name: client },
    api: { operation: 'run', service, request: { uid: run.run_id } },
    resources: [{ type: 'route', name: run.route }],
    status_id: isSuccess ? 1 : 2,
    status: isSuccess ? 'Success' : 'Failure',
    status_code: status,
    ...(failure !== null && { status_detail: failure }),
    action_id: action[0],
    action: action[1],
    disposition_id: disposition[0],
    disposition: disposition[1],
    is_alert: status === 'blocked' || status === 'denied',
    ...(ruling !== null && { policy: { name: ruling.guard, uid: ruling.code || ruling.guard, is_applied: true } }),
    ...(model !== null && { ai_model: { ai_provider: model.provider, name: model.name } }),
    message_context: {
      uid: run.run_id,
      service,
      ai_role_id: 2,
      ai_role: 'Assistant',
      ...(client !== null && { application: { name: client } }),
      ...(session !== null && { name: session }),
      ...(tokens !== null && {
        prompt_tokens: tokens.input,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
      }),
    },
    unmapped: {
      ...(ruling !== null && { verdict: ruling.verdict }),
      ...(findings.size > 0 && { findings: Object.fromEntries(findings) }),
      ...(approver !== null && { approver }),
      ...(run.created_at !== null && { created_at: run.created_at }),
      ...(model?.region != null && { region: model.region }),
    },
  };
}
