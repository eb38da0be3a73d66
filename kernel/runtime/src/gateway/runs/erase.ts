import {
  type EventData,
  type NewOperation,
  type Operation,
  type RunEvent,
  type RunRow,
  type RunStatus,
  runEvent,
  SvcError,
} from '@svc/contracts';
import { deny, findRun, hasEnded, LostRace, saveRunning, storedAs, type Track } from '@svc/kernel';
import { PAUSE_CONTENT } from '../../content/paused-payload.ts';
import { REASONS_CONTENT } from '../../content/reasons.ts';
import { ANSWER_CONTENT, CONTINUATION_CONTENT, CONVERSATION_CONTENT, REQUEST_CONTENT } from '../../content/run-content.ts';
import { KEY_CONTENT } from '../../content/vault.ts';
import { assertApprover, type Decider } from '../../pauses/approver.ts';
import type { OperationsLog } from '../../records/operations-log/operations-log.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { openWaiting } from './open-waiting.ts';

const CONTENT_NAMES = [
  KEY_CONTENT,
  PAUSE_CONTENT,
  REASONS_CONTENT,
  REQUEST_CONTENT,
  CONTINUATION_CONTENT,
  ANSWER_CONTENT,
  CONVERSATION_CONTENT,
];

/** `operations`: erasures are recorded there. */
export interface EraseEnv extends GatewayEnv {
  readonly operations: Pick<OperationsLog, 'append'>;
}

/** Result of an erasure. */
export interface Erased {
  readonly run_id: string;
  readonly status: RunStatus;
  /** Whether the run is also unreadable in older backups. If not, a rotation of the content key makes it so. */
  readonly backups_unreadable: boolean;
}

/**
 * The principal who erases, and the runs that it may erase: its `own`; those and the runs that it may decide on (`decidable`); or `all` (the role
 * admin, or an operator with access to the store).
 */
export interface Eraser extends Decider {
  readonly scope: 'own' | 'decidable' | 'all';
  /** The principal in the form that the operations log uses. */
  readonly actor: Operation['actor'];
  /** The reason that the principal gave. Stored in the operations log. */
  readonly reason: string | null;
  /** Throws or rejects if the principal may no longer erase. Called when the erasure is recorded. */
  readonly assertStill?: () => unknown;
}

/**
 * Deletes the content of a run for good. Deleting the run's key also makes copies in backups unreadable. A waiting run ends as denied. The row,
 * evidence and digests remain. The operations log is written first: if the erasure then fails, the record shows that it was requested. If an ended
 * run has no content to erase, nothing is recorded, so that repeated requests do not fill the log.
 * @throws {SvcError} SVC-RUN-001, SVC-AUTH-003, SVC-RUN-002 (changed meanwhile), SVC-RUN-004 (in progress), SVC-STORE-001
 */
export async function erase(run_id: string, by: Eraser, env: EraseEnv, track: Track): Promise<Erased> {
  const row = await erasable(run_id, by, env);
  if (await isLeft(row, env))
    await env.operations.append(async () => {
      await by.assertStill?.();
      return erasure('content.erased', { kind: 'run', name: run_id }, by);
    }, 'behind');
  return eraseRow(row, by, env, track);
}

/** Whether any content of a run can still be erased. */
async function isLeft({ run_id, status }: RunRow, { store, content }: GatewayEnv): Promise<boolean> {
  if (!hasEnded(status) || content.remembers(run_id)) return true;
  const kept = await Promise.all(CONTENT_NAMES.map((name) => store.content(run_id, name)));
  return kept.some((item) => item !== null);
}

/** The record of an erasure. It does not contain the erased text or a digest of it, because a short text can be guessed from its digest. */
export function erasure(
  action: 'content.erased' | 'documents.erased' | 'documents.deleted',
  target: Operation['target'],
  { actor, reason }: Pick<Eraser, 'actor' | 'reason'>,
  change: Operation['change'] = {},
): NewOperation {
  return { action, actor, target, before: null, after: null, reason, change };
}

/** As {@link erase}, for an erasure that is already recorded. */
export async function eraseOnRecord(run_id: string, by: Eraser, env: GatewayEnv, track: Track): Promise<Erased> {
  return eraseRow(await erasable(run_id, by, env), by, env, track);
}

async function eraseRow(row: RunRow, by: Eraser, env: GatewayEnv, track: Track): Promise<Erased> {
  const { run_id } = row;
  const data = { at: new Date(env.clock.now()).toISOString(), principal_id: by.principal_id };
  const isEnded = hasEnded(row.status);
  const status = isEnded ? row.status : await endErased(row, data, env, track);
  // If the erasure ends the run, the event goes into the evidence. The evidence of an ended run cannot change, so there the event goes into the row.
  // Decisions about erased content must not apply to later requests.
  await env.decided.forget(row.pause_keys ?? []);
  await dropContent(run_id, isEnded ? [runEvent('erased', 'approval', '', data)] : [], env);
  const backups_unreadable = await env.content.erase(run_id);
  env.logger.info({ event: 'content_erased', run_id, principal_id: by.principal_id, backups_unreadable });
  return { run_id, status, backups_unreadable };
}

/** @throws {SvcError} SVC-RUN-001, SVC-AUTH-003, SVC-RUN-004 */
async function erasable(run_id: string, by: Eraser, env: GatewayEnv): Promise<RunRow> {
  const row = await findRun(run_id, env);
  assertMayErase(row, by, env);
  if (row.status === 'running') throw new SvcError('SVC-RUN-004', 'the run has not ended; try again when it has', { run_id });
  return row;
}

/** @throws {SvcError} SVC-AUTH-003 */
function assertMayErase(row: RunRow, by: Eraser, env: GatewayEnv): void {
  if (by.scope === 'all' || row.principal_id === by.principal_id) return;
  // A delegate decides for another person, and erases nothing.
  if (by.scope === 'decidable') assertApprover(row, by, { ...env, delegations: { inForce: [] } });
  else
    throw new SvcError(
      'SVC-AUTH-003',
      'only the creator and the approvers of this run, and keys with the role admin, can erase it',
      { run_id: row.run_id },
    );
}

/**
 * Deletes the content of an ended run in one commit with its row, so that a concurrent rewrap cannot write the key back. The erasure is recorded
 * once, even if it is requested again.
 */
async function dropContent(run_id: string, erased: readonly RunEvent[], env: GatewayEnv): Promise<void> {
  for (let dropped = false; !dropped; ) {
    const row = await findRun(run_id, env);
    const isRecorded = row.events.some(({ event_type }) => event_type === 'erased');
    const { pause_keys: _, ...kept } = row;
    const run = { ...kept, events: isRecorded ? row.events : [...row.events, ...erased], version: row.version + 1 };
    const expect = storedAs(row).row;
    const change = { run, expect, put_content: [], drop_content: CONTENT_NAMES, settlements: [] };
    dropped = (await env.writer.commit(change, null)).result === 'committed';
  }
}

/** Ends a waiting run, even if its content cannot be read. */
async function endErased(row: RunRow, data: EventData<'erased'>, env: GatewayEnv, track: Track): Promise<RunStatus> {
  const { run_id } = row;
  const stage = row.status === 'paused' ? 'approval' : 'ingress';
  const { run, pause } = await openWaiting(row, env);
  run.record('erased', stage, pause.node, data);
  run.move('running', stage);
  try {
    const outcome = await track(run, async () => {
      await saveRunning(run, [], env);
      return deny(run, pause, env, stage);
    });
    return outcome.row.status;
  } catch (error) {
    if (!(error instanceof LostRace)) throw error;
    throw new SvcError('SVC-RUN-002', 'the run changed during the erasure; try again', { run_id });
  }
}
