import { type RunEvent, type RunRow, SvcError } from '@svc/contracts';
import type { ApprovalBarrier, Gateway, ListedRun, MayDecide, RunView } from '@svc/runtime';
import type { WithGroups } from './groups.ts';
import { hasRole } from './key-ring.ts';

type Caller = ReturnType<WithGroups>;
/** Who may decide on runs. */
export type Approvals = Pick<Gateway['runs']['stored'], 'barrier' | 'isApprover' | 'mayDecide'>;

type ClientField = 'session' | 'client' | 'user';

/** The fields of `GET /v1/runs/{run_id}`. */
interface ShownRun
  extends Pick<RunRow, 'run_id' | 'route' | 'principal_id' | 'status' | 'approvers' | 'config_digest' | ClientField> {
  may_decide?: MayDecide[];
  events: RunEvent[];
}

function mayDecide(caller: Caller, view: RunView, approvals: Approvals): boolean {
  return hasRole(caller, 'approve') && approvals.isApprover(view, caller);
}

/** The creator of a run, its approvers and auditors see its principals and events. */
export function seesWhole(caller: Caller, view: RunView, approvals: Approvals): boolean {
  return caller.principal_id === view.row.principal_id || hasRole(caller, 'audit') || mayDecide(caller, view, approvals);
}

/** A run as a caller may see it. Others see its route and status, but no principals or events. */
export function shownRun(caller: Caller, view: RunView, approvals: Approvals): ShownRun {
  const { row, events } = view;
  const { run_id, route, principal_id, status, approvers, config_digest } = row;
  if (!seesWhole(caller, view, approvals))
    return { run_id, route, principal_id: '', status, approvers: [], events: [], config_digest };
  const may = status === 'paused' ? { may_decide: approvals.mayDecide(row) } : {};
  return { run_id, route, principal_id, status, approvers, ...may, events: [...events], config_digest, ...clientOf(row) };
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

/** Why a caller cannot approve a paused run; null: it can, or the run is not paused. */
function barrierOf(caller: Caller, row: RunRow, approvals: Approvals): ApprovalBarrier | 'role' | null {
  if (row.status !== 'paused') return null;
  return hasRole(caller, 'approve') ? approvals.barrier(row, caller) : 'role';
}

/** The JSON of a run in a list. Inside a string, `"events"` cannot occur, because its quotes would be escaped. */
export function listedRun(caller: Caller, { row, events }: ListedRun, approvals: Approvals): string {
  const view = { row, events: [] };
  const barrier = barrierOf(caller, row, approvals);
  const shown = {
    ...shownRun(caller, view, approvals),
    created_at: row.created_at,
    ...(barrier === null ? {} : { cannot_approve: barrier }),
  };
  if (!seesWhole(caller, view, approvals)) return JSON.stringify(shown);
  const group = row.status === 'paused' ? row.pause_keys?.at(-1) : undefined;
  const json = JSON.stringify({ ...shown, ...(group === undefined ? {} : { group }) });
  return json.replace('"events":[]', () => `"events":${events}`);
}

/** @throws {SvcError} SVC-AUTH-003 */
export function requireOwner(caller: Caller, { run_id, principal_id }: RunRow): void {
  if (caller.principal_id === principal_id) return;
  throw new SvcError('SVC-AUTH-003', 'only the creator and the approvers of this run can read its content', { run_id });
}

/** @throws {SvcError} SVC-AUTH-003 unless the caller created the run, or has the role approve and may decide on the run or already did */
export function requireOwnerOrApprover(caller: Caller, view: RunView, approvals: Approvals): void {
  if (caller.principal_id === view.row.principal_id || mayDecide(caller, view, approvals)) return;
  const { run_id } = view.row;
  throw new SvcError('SVC-AUTH-003', 'only the creator and the approvers of this run can read its decisions', { run_id });
}
