import { type RunEvent, type RunRow, SvcError } from '@svc/contracts';
import { isListed, type ListedRun, type RunView } from '@svc/runtime';
import { hasRole, type Principal } from './key-ring.ts';

type Standing = Pick<RunRow, 'run_id' | 'principal_id' | 'approvers'>;

type ClientField = 'session' | 'client' | 'user';

/** The fields of `GET /v1/runs/{run_id}`. */
interface ShownRun
  extends Pick<RunRow, 'run_id' | 'route' | 'principal_id' | 'status' | 'approvers' | 'config_digest' | ClientField> {
  events: RunEvent[];
}

function isOwner({ principal_id }: Principal, row: Standing): boolean {
  return principal_id === row.principal_id;
}

/** Whether the principal is an approver. With an empty list of approvers, everybody is whose key may approve. `principal`: including its groups. */
function isApprover(principal: Principal, { approvers }: Standing): boolean {
  return hasRole(principal, 'approve') && (approvers.length === 0 || isListed(approvers, principal));
}

/** The creator of a run, its approvers and auditors see its principals and events. */
export function seesWhole(principal: Principal, row: Standing): boolean {
  return isOwner(principal, row) || isApprover(principal, row) || hasRole(principal, 'audit');
}

/** A run as a caller may see it. Callers without full access see its route and status, but no principals or events. */
export function shownRun(principal: Principal, { row, events }: RunView): ShownRun {
  const { run_id, route, principal_id, status, approvers, config_digest } = row;
  if (!seesWhole(principal, row)) return { run_id, route, principal_id: '', status, approvers: [], events: [], config_digest };
  return { run_id, route, principal_id, status, approvers, events: [...events], config_digest, ...clientOf(row) };
}

/** What the client said about itself. If that is only the program's name, nothing is shown, because every client has one. */
function clientOf({ session, client, user }: RunRow): Pick<RunRow, ClientField> {
  if (session === undefined && user === undefined) return {};
  return {
    ...(session !== undefined && { session }),
    ...(client !== undefined && { client }),
    ...(user !== undefined && { user }),
  };
}

/** The JSON of a run in a list. Inside a string, `"events"` cannot occur, because its quotes would be escaped. */
export function listedRun(principal: Principal, { row, events }: ListedRun): string {
  const shown = { ...shownRun(principal, { row, events: [] }), created_at: row.created_at };
  if (!seesWhole(principal, row)) return JSON.stringify(shown);
  const group = row.status === 'paused' ? row.pause_keys?.at(-1) : undefined;
  const json = JSON.stringify({ ...shown, ...(group === undefined ? {} : { group }) });
  return json.replace('"events":[]', () => `"events":${events}`);
}

/** @throws {SvcError} SVC-AUTH-003 unless the caller created the run, or its key may approve and the run's list of approvers admits it */
export function requireOwnerOrApprover(principal: Principal, row: Standing): void {
  if (isOwner(principal, row) || isApprover(principal, row)) return;
  const { run_id } = row;
  throw new SvcError('SVC-AUTH-003', 'only the creator and the approvers of this run can read its content', { run_id });
}
