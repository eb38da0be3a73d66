import {
  type AnswerBody,
  type EventData,
  isSvcError,
  nextTurn,
  type Protocol,
  type ProtocolId,
  type RequestBody,
  type RunEvent,
  type RunQuery,
  type RunRow,
  SvcError,
} from '@svc/contracts';
import { findRun, hasEnded, openPaused, type RunOutcome, type Stop, storedRun } from '@svc/kernel';
import type { Link } from '@svc/kernel/ports';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { eventsTextOf } from '@svc/ledger';
import { CHAT } from '@svc/protocols';
import { type Admit, keptConversation, keptRequest } from '../../content/kept-request.ts';
import { denialReason, reasonsOf } from '../../content/reasons.ts';
import { ANSWER_CONTENT, decodeBody, reachedModel } from '../../content/run-content.ts';
import { assertApprover, type Decider, isListed, ownRight, type Right, rightsOn } from '../../pauses/approver.ts';
import { type ApprovalBarrier, approvalBarrier } from '../../pauses/barrier.ts';
import type { Verdict } from '../../pauses/decision.ts';
import { type EditableText, editableTexts } from '../../pauses/edit.ts';
import { type MayDecide, mayDecide } from '../../pauses/may-decide.ts';
import { isSamePerson } from '../../pauses/person.ts';
import { approvalsOf, type DecisionData, decisionsNow } from '../../pauses/quorum.ts';
import { expiryOf } from './expire.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { type EventFilter, matchingRuns } from './matching-runs.ts';
import { type MadeStatement, statementFor } from './statement.ts';

/** A run for readers. If it has ended, its events are those of the evidence, followed by later ones from the row. */
export interface RunView {
  readonly row: RunRow;
  readonly events: readonly RunEvent[];
}

/** Number of runs whose evidence is read in one step. A run's evidence has a few kilobytes, but may have hundreds. */
const PART = 50;

/** A run in a list. Its events are JSON text, because a long list is passed on without being parsed. */
export interface ListedRun {
  readonly row: RunRow;
  readonly events: string;
}

/** A message, or an item of the input. */
type Turn = Record<string, unknown>;

/** What an approver decides on. `answer` is present if the run paused in egress. */
export interface PendingView {
  readonly row: RunRow;
  readonly stage: string;
  readonly node: string;
  readonly code: string;
  /** The protocol of request and answer. */
  readonly protocol: ProtocolId;
  /** Messages, or items of the input. */
  readonly messages: readonly Turn[];
  /** The other fields of the request. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly answer: AnswerBody | null;
  /** The texts that an approver may change. */
  readonly texts: readonly EditableText[];
  /** The same texts before the edits of approvers. Null: there were no edits. */
  readonly original_texts: readonly EditableText[] | null;
  readonly digest: string;
  /** Whether a decision needs a reason. */
  readonly reason: RuntimeRoute['approval_reason'];
  /** Whether the route asks for decisions signed by a passkey. */
  readonly passkey: RuntimeRoute['approval_passkey'];
  /** The number of approvals of the current content, and the number that the route needs. */
  readonly approvals: { readonly given: number; readonly needed: number };
  /** Who may decide. Empty: everybody with the role approve. */
  readonly may_decide: readonly MayDecide[];
  /** The approver on whose behalf the reader decides; null: in its own right. */
  readonly on_behalf_of: string | null;
  /** Decisions since the run paused last. */
  readonly decisions: readonly DecisionView[];
  readonly since: string;
  /** When the run is denied if it has not been approved. */
  readonly expires_at: string;
}

/** A decision on a run. `reason`: null if none was given or it is no longer kept. */
export type DecisionView = Pick<EventData<'decision'>, 'decision' | 'principal_id' | 'at' | 'digest'> & {
  /** The approver on whose behalf this person decided; null: in its own right. */
  readonly on_behalf_of: string | null;
  /** Digest of the content after the edits of this person; null: no edits. */
  readonly edited: string | null;
  readonly reason: string | null;
};

/** The request as the model received it. */
export interface SentView {
  readonly row: RunRow;
  /** The messages with the guards' edits. Null if no model was called, nothing was kept, or a run that this one continues is no longer kept. */
  readonly messages: readonly Turn[] | null;
  readonly protocol: ProtocolId;
  /** An earlier run that is no longer stored, so that the messages cannot be assembled. Null: none. */
  readonly gone_run_id: string | null;
  /** The other fields of the request. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a later run continues: the messages as the model received them, the answer as the caller received it, and where both are kept. */
export interface ConversationView {
  readonly protocol: Protocol;
  readonly turns: readonly unknown[];
  readonly links: readonly Link[];
}

/** The groups and the identity of a reader. */
type Reader = Omit<Decider, 'principal_id'>;

/** A stop that was reported to a caller. */
export interface ReportedStop extends Pick<RunOutcome, 'row' | 'tail'> {
  readonly stop: Stop;
}

/** Stored runs, for principals that may read them. */
export class StoredRuns {
  readonly #env: GatewayEnv;

  constructor(env: GatewayEnv) {
    this.#env = env;
  }

  /** @throws {SvcError} SVC-RUN-001 */
  async read(run_id: string): Promise<RunView> {
    return readRun(run_id, this.#env);
  }

  /**
   * A page of runs. With an event filter, it may have fewer runs than the limit, see {@link matchingRuns}. Each call of `parts` reads the page again in
   * parts, so that other work gets its turn between them. The events of a run are read only when its part is requested.
   */
  async list({ verdict, code, ...query }: RunQuery & EventFilter): Promise<{
    parts: () => AsyncIterable<readonly ListedRun[]>;
    next: string | null;
  }> {
    const filter = { ...(verdict !== undefined && { verdict }), ...(code !== undefined && { code }) };
    const { store } = this.#env;
    const { rows, next } = await (Object.keys(filter).length === 0 ? store.runs(query) : matchingRuns(query, filter, store));
    // Stores of earlier releases ignore `until`, and return more.
    const asked = rows.filter(({ created_at }) => query.until === undefined || created_at < query.until);
    return { parts: () => inParts(asked, this.#env), next };
  }

  /** Who may decide on a paused run. Empty: everybody with the role approve. */
  mayDecide(row: RunRow): MayDecide[] {
    return mayDecide(row, this.#env);
  }

  /** Whether a principal may decide on a run, could if it had not created the run, or has decided on it. A delegate has no right to ended runs. */
  isApprover(view: RunView, by: Decider): boolean {
    const { row } = view;
    const isDelegate = !hasEnded(row.status) && rightsOn(row, by, this.#env).length > 0;
    return isDelegate || ownRight(row, by, this.#env) !== null || mayRead(view, by);
  }

  /** Why a principal with the role to approve cannot approve a paused run; null: it can. */
  barrier(row: RunRow, by: Decider): ApprovalBarrier | null {
    return approvalBarrier(row, by, this.#env);
  }

  /** @throws {SvcError} SVC-RUN-001, SVC-AUTH-003, SVC-RUN-002, SVC-RUN-003, SVC-RUN-005 */
  async pending(run_id: string, principal_id: string, by: Reader = {}): Promise<PendingView> {
    const { row, right } = await approvable(run_id, { ...by, principal_id }, this.#env);
    const { run, pause } = await openPaused(row, this.#env.routes.get(row.route), this.#env);
    const { stage, node, code, digest, since, original } = pause;
    const { messages, parameters } = partsOf(run.protocol, run.request);
    const unedited =
      original === undefined ? null : storedRun(row, { ...pause.run, ...original, route: run.route, bytes: run.bytes });
    const given = approvalsOf(row, digest, run.route.digest, this.#env).length;
    const decisions = await decisionsOf(run_id, decisionsNow(row.events), this.#env);
    const expires_at = new Date(expiryOf(row, this.#env)).toISOString();
    return {
      row,
      stage,
      node,
      code,
      protocol: run.protocol.id,
      messages,
      parameters,
      answer: run.completion,
      texts: editableTexts(run, pause, this.#env.texts),
      original_texts: unedited && editableTexts(unedited, pause, this.#env.texts),
      digest,
      reason: run.route.approval_reason,
      passkey: run.route.approval_passkey,
      approvals: { given, needed: run.route.approvals },
      may_decide: mayDecide(row, this.#env),
      on_behalf_of: right?.delegation?.from.principal_id ?? null,
      decisions,
      since,
      expires_at,
    };
  }

  /** What an approver would sign with a passkey. @throws {SvcError} see {@link statementFor} */
  statement(run_id: string, principal_id: string, made: Verdict): Promise<MadeStatement> {
    return statementFor(run_id, principal_id, made, this.#env);
  }

  /**
   * The decisions on a run, in order. The caller must be its creator, or {@link isApprover}.
   * @throws {SvcError} SVC-RUN-001, SVC-RUN-005
   */
  async decisions(run_id: string): Promise<readonly DecisionView[]> {
    const { events } = await readRun(run_id, this.#env);
    const made = events.flatMap(({ event_type, data }) => (event_type === 'decision' ? [data as EventData<'decision'>] : []));
    return decisionsOf(run_id, made, this.#env);
  }

  /**
   * The answer of an ended run; null if there is none, or it is no longer kept. `reason`: why an approver denied it. For its creator, its named
   * approvers, and those who decided on it.
   * @throws {SvcError} SVC-RUN-001, SVC-AUTH-003, SVC-RUN-004, SVC-RUN-005
   */
  async response(
    run_id: string,
    principal_id: string,
    by: Reader = {},
  ): Promise<Pick<RunOutcome, 'row' | 'protocol' | 'completion'> & { readonly reason: string | null }> {
    const { row, events } = await endedRun(run_id, { ...by, principal_id }, this.#env);
    const found = await this.#env.content.read(run_id, ANSWER_CONTENT);
    const kept = found && decodeBody<AnswerBody>(found.bytes, this.#env.protocols);
    const reason = row.status === 'denied' ? await whyDenied({ row, events }, this.#env) : null;
    return { row, protocol: kept?.protocol ?? CHAT, completion: kept?.body ?? null, reason: reason ?? null };
  }

  /**
   * What the model of an ended run received, while it is kept. For the same readers as {@link response}.
   * @throws {SvcError} SVC-RUN-001, SVC-AUTH-003, SVC-RUN-004, SVC-RUN-005
   */
  async sent(run_id: string, principal_id: string, by: Reader = {}): Promise<SentView> {
    const { row, events } = await endedRun(run_id, { ...by, principal_id }, this.#env);
    const kept = reachedModel(events) ? await keptRequest(run_id, this.#env, () => undefined) : null;
    if (kept === null || 'gone' in kept)
      return { row, protocol: CHAT.id, messages: null, gone_run_id: kept?.gone ?? null, parameters: {} };
    const { messages, parameters } = partsOf(kept.protocol, kept.request);
    return { row, protocol: kept.protocol.id, messages, gone_run_id: null, parameters };
  }

  /**
   * The conversation to continue a run with, for the run's creator on the same route. Null if nothing is kept, and also for every other run, so that
   * callers cannot find out whether somebody else's run exists.
   * @throws {SvcError} SVC-RUN-005, and errors of `admit`
   */
  async conversation(run_id: string, principal_id: string, route: string, admit: Admit): Promise<ConversationView | null> {
    const row = await findRun(run_id, this.#env).catch(nullIfUnknown);
    if (row === null || row.principal_id !== principal_id || row.route !== route) return null;
    return keptConversation(run_id, this.#env, admit);
  }

  /**
   * The stops of a run that were reported to its caller: each pause, and a denial, without hints. Empty if the run belongs to another caller or
   * route, if no guard paused it, or if its content was erased.
   */
  async stops(run_id: string, principal_id: string, route: string): Promise<readonly ReportedStop[]> {
    const row = await findRun(run_id, this.#env).catch(nullIfUnknown);
    if (row === null || row.principal_id !== principal_id || row.route !== route || row.pause_keys === undefined) return [];
    const { events } = await viewOf(row, this.#env);
    const as = (kind: Stop['kind'], { stage, node, data }: RunEvent) => ({
      row,
      tail: null,
      stop: { kind, stage, node, code: String(data.code) },
    });
    const waits = events.filter(({ event_type }) => event_type === 'paused' || event_type === 'reused');
    const denied = row.status === 'denied' ? waits.slice(-1) : [];
    return [
      ...waits.filter(({ event_type }) => event_type === 'paused').map((event) => as('paused', event)),
      ...denied.map((event) => as('denied', event)),
    ];
  }
}

async function decisionsOf(
  run_id: string,
  made: readonly EventData<'decision'>[],
  { content }: GatewayEnv,
): Promise<DecisionView[]> {
  if (made.length === 0) return [];
  const reasons = await reasonsOf(run_id, content);
  return made.map(({ decision, principal_id, on_behalf_of, at, digest, edited = null, reason_digest = '' }) => ({
    decision,
    principal_id,
    on_behalf_of: on_behalf_of?.principal_id ?? null,
    at,
    digest,
    edited,
    reason: reasons.get(reason_digest) ?? null,
  }));
}

/** The turns of a request, and its other fields. */
function partsOf(protocol: Protocol, request: RequestBody): { messages: readonly Turn[]; parameters: Record<string, unknown> } {
  const messages = protocol.turnsOf(request) as readonly Turn[];
  const { model: _, [protocol.request.holder]: __, ...parameters } = request;
  return { messages, parameters };
}

/** @throws {SvcError} SVC-RUN-001 */
export async function readRun(run_id: string, env: GatewayEnv): Promise<RunView> {
  return viewOf(await findRun(run_id, env), env);
}

/**
 * The reason for the denial of a run, or of the earlier run whose denial this run repeats. Undefined if no reason was given or it is no longer kept.
 * @throws {SvcError} SVC-RUN-005
 */
export async function whyDenied(run: RunView, env: GatewayEnv): Promise<string | undefined> {
  const reused = run.events.find(({ event_type, data }) => event_type === 'reused' && data.decision === 'denied');
  const decided = reused === undefined ? run : await readRun(String(reused.data.run_id), env).catch(nullIfUnknown);
  return decided === null ? undefined : denialReason(decided.row.run_id, decided.events, env.content);
}

async function viewOf(row: RunRow, env: GatewayEnv): Promise<RunView> {
  const [listed] = await withEvents([row], env);
  return { row, events: listed === undefined ? row.events : JSON.parse(listed.events) };
}

async function* inParts(rows: readonly RunRow[], env: GatewayEnv): AsyncGenerator<readonly ListedRun[]> {
  for (let at = 0; at < rows.length; at += PART) {
    if (at > 0) await nextTurn();
    yield await withEvents(rows.slice(at, at + PART), env);
  }
}

async function withEvents(rows: readonly RunRow[], env: GatewayEnv): Promise<ListedRun[]> {
  const records = await env.store.recordsBySeq(rows.flatMap(({ evidence }) => evidence?.seq ?? []));
  const sealed = new Map(records.map(({ seq, bytes }) => [seq, eventsTextOf(bytes)]));
  return rows.map((row) => ({
    row,
    events: joined((row.evidence && sealed.get(row.evidence.seq)) ?? '[]', JSON.stringify(row.events)),
  }));
}

/** Joins two JSON lists. */
function joined(one: string, other: string): string {
  if (one === '[]') return other;
  return other === '[]' ? one : `${one.slice(0, -1)},${other.slice(1)}`;
}

/** For a run that is not in the store. */
export function nullIfUnknown(error: unknown): null {
  if (isSvcError(error) && error.code === 'SVC-RUN-001') return null;
  throw error;
}

/**
 * A run and a right to decide on it. The escalation of an ended run is in its evidence.
 * @throws {SvcError} SVC-RUN-001, SVC-AUTH-003
 */
export async function approvable(
  run_id: string,
  by: Decider,
  env: GatewayEnv,
): Promise<{ readonly row: RunRow; readonly right: Right | undefined }> {
  const { row, events } = await readRun(run_id, env);
  const [right] = assertApprover({ ...row, events: [...events] }, by, env);
  return { row, right };
}

/** An ended run whose content the reader may see. */
async function endedRun(run_id: string, by: Decider, env: GatewayEnv): Promise<RunView> {
  const view = await readRun(run_id, env);
  if (!mayRead(view, by))
    throw new SvcError(
      'SVC-AUTH-003',
      'only the creator and the named approvers of this run, and those who decided on it, can read its content',
      {
        run_id,
      },
    );
  const { status } = view.row;
  if (!hasEnded(status)) throw new SvcError('SVC-RUN-004', `the run is ${status}; try again when it has ended`, { run_id });
  return view;
}

/** Whether a principal created a run, is one of its named approvers, or decided on it. */
function mayRead({ row, events }: RunView, by: Decider): boolean {
  const person = { principal_id: by.principal_id, ...by.identity };
  return (
    by.principal_id === row.principal_id ||
    isListed(row.approvers, by) ||
    events.some(({ event_type, data }) => event_type === 'decision' && isSamePerson(data as DecisionData, person))
  );
}
