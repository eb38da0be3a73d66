import type { JsonObject, OperationAction } from '@svc/contracts';
import { epochMs, type LedgerEvent } from './ledger-event.ts';
import { LEVELS } from './levels.ts';
import { runParts } from './ocsf-run.ts';
import { VERSION } from './version.ts';

/** The release of the schema, https://schema.ocsf.io. */
const SCHEMA = '1.9.0';
const CATEGORY = 6;
const CLASS = 6003;

const CREATE = [1, 'Create'] as const;
const UPDATE = [3, 'Update'] as const;
const DELETE = [4, 'Delete'] as const;
const OTHER = [99, 'Other'] as const;
type Activity = readonly [id: number, caption: string];

const ACTIVITIES: Readonly<Record<OperationAction, Activity>> = {
  'gateway.started': OTHER,
  'configuration.applied': UPDATE,
  'key.created': CREATE,
  'key.rotated': UPDATE,
  'key.revoked': DELETE,
  'passkey.registered': CREATE,
  'passkey.removed': DELETE,
  'state.proposed': UPDATE,
  'state.changed': UPDATE,
  'delegation.created': CREATE,
  'delegation.ended': DELETE,
  'content.erased': DELETE,
  'documents.erased': DELETE,
  'documents.deleted': DELETE,
};

/** An event of the class API Activity (6003), for a run with the profiles `ai_operation` and `security_control`. */
export function ocsfOf(event: LedgerEvent): JsonObject {
  const { seq, hash, ledger_id, level, type, message, at } = event;
  const [severity_id, severity] = LEVELS[level].ocsf;
  const [activity_id, activity_name] = activityOf(event);
  const parts = partsOf(event);
  return {
    activity_id,
    // For 99, the schema asks for a name of the source.
    activity_name: activity_id === OTHER[0] ? type : activity_name,
    category_uid: CATEGORY,
    category_name: 'Application Activity',
    class_uid: CLASS,
    class_name: 'API Activity',
    type_uid: CLASS * 100 + activity_id,
    type_name: `API Activity: ${activity_name}`,
    severity_id,
    severity,
    // The schema needs a time. Only a record of a newer release can lack one.
    time: epochMs(at) ?? 0,
    message,
    metadata: {
      version: SCHEMA,
      product: { name: 'svc', vendor_name: 'svc', version: VERSION },
      profiles: event.subject.kind === 'run' ? ['ai_operation', 'security_control'] : ['ai_operation'],
      uid: hash,
      original_event_uid: hash,
      sequence: seq,
      event_code: type,
      log_name: ledger_id,
      log_provider: 'svc',
      ...(at !== null && { original_time: at }),
      ...(event.subject.kind === 'run' && { correlation_uid: event.subject.run_id }),
    },
    ...parts,
    unmapped: { ledger_id, seq, hash, prev_hash: event.prev_hash, ...(parts.unmapped as JsonObject | undefined) },
  };
}

function activityOf({ subject }: LedgerEvent): Activity {
  if (subject.kind !== 'operation') return OTHER;
  // An action of a newer release is unknown here.
  return Object.hasOwn(ACTIVITIES, subject.action) ? ACTIVITIES[subject.action as OperationAction] : OTHER;
}

/** The attributes that depend on the kind of record. The ledger has no network address of a caller, so `src_endpoint` is a name. */
function partsOf({ subject, type }: LedgerEvent): JsonObject {
  const service = { name: 'svc', version: VERSION };
  const itself = { user: { name: 'svc', type_id: 3, type: 'System' }, src_endpoint: { svc_name: 'svc' } };
  switch (subject.kind) {
    case 'run':
      return runParts(subject, service);
    case 'inventory':
      return {
        actor: { user: itself.user },
        src_endpoint: itself.src_endpoint,
        api: { operation: type, service },
        status_id: 1,
        status: 'Success',
        ai_model: {
          ai_provider: subject.developer,
          name: subject.model,
          ...(subject.version !== null && { version: subject.version }),
        },
        resources: [{ type: 'route', name: subject.route }],
      };
    case 'operation': {
      const { principal_id, action, target, reason } = subject;
      return {
        actor: { user: principal_id === null ? itself.user : { uid: principal_id, name: principal_id } },
        src_endpoint: principal_id === null ? itself.src_endpoint : { name: 'unknown' },
        api: { operation: action, service },
        status_id: 1,
        status: 'Success',
        resources: [{ type: target.kind, name: target.name }],
        ...(reason !== null && { unmapped: { reason } }),
      };
    }
    case 'other':
      return { actor: { user: itself.user }, src_endpoint: itself.src_endpoint, api: { operation: type, service } };
  }
}
