import { stageText } from '../../src/trail/words.ts';
import type { PendingRun, Route, RunEvent, StoredRun } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { element, facts } from '../shared/dom.ts';
import { visible } from '../shared/message-blocks.ts';
import { messageView, textFrame } from '../shared/message-view.ts';
import { deadline, moment } from '../shared/moment.ts';
import { speakerOf, turnsOf } from '../shared/turns.ts';
import { riskLabel } from '../shared/words.ts';

/** Earlier messages are collapsed. */
const LAST_MESSAGES = 2;

/** What paused a run and why, from its history. */
export interface Pause {
  readonly node: string;
  readonly stage: string;
  readonly code: string;
}

export function pauseOf(events: readonly RunEvent[]): Pause | null {
  const paused = events.findLast(({ event_type }) => event_type === 'paused');
  if (paused === undefined) return null;
  const { node, stage, data } = paused;
  return { node, stage, code: typeof data.code === 'string' ? data.code : '' };
}

/** How often a run has paused. */
export function pausesOf(events: readonly RunEvent[]): number {
  return events.filter(({ event_type }) => event_type === 'paused').length;
}

/** The others' decisions on the pending content, with their reasons. */
export function decisionsView({ approvals, decisions }: PendingRun): HTMLElement[] {
  if (approvals.needed === 1 && decisions.length === 0) return [];
  const count = `${approvals.given} of ${approvals.needed} approvals`;
  const made = decisions.map(({ principal_id, decision, at, reason }) =>
    element('li', {}, `${principal_id} ${decision} `, moment(at), visible(reason === null ? '' : `: ${reason}`)),
  );
  return [element('h3', {}, 'Decisions'), element('p', {}, count), ...(made.length === 0 ? [] : [element('ul', {}, ...made)])];
}

/** The route's owner, why the run waits, for whom, and until when. `route`, `pending` null: not known here. */
export function runFacts(
  { approvers, events, created_at, session, cannot_approve }: StoredRun,
  route: Route | null,
  pending: PendingRun | null,
): HTMLElement[] {
  const pause = pauseOf(events);
  const known: (readonly [string, Node | string])[] = [];
  if (route?.risk_rating) known.push(['Risk', badge(riskLabel(route.risk_rating), 'gauge')]);
  if (route?.owner) known.push(['Owner', route.owner]);
  if (pause !== null) known.push(['Paused by', `${pause.node}, ${stageText(pause.stage)}`]);
  const isHidden = approvers.length === 0 && cannot_approve === 'approvers';
  if (!isHidden) known.push(['Approvers', approvers.length === 0 ? 'anyone with the role approve' : namesOf(approvers, ', ')]);
  known.push(['Waiting since', moment(pending?.since ?? created_at)]);
  if (pending !== null) known.push(['Expires', deadline(pending.expires_at)]);
  if (session !== undefined) known.push(['Session', session]);
  return facts(known);
}

/** Principals and groups that may decide. */
function namesOf(approvers: readonly string[], joint: string): string {
  return approvers.map((name) => name.replace(/^group\//, 'group ')).join(joint);
}

/** The number of runs that the latest decision applies to. */
export function runsDecided(events: readonly RunEvent[]): number {
  return events.findLast((event) => event.event_type === 'decision')?.data.together?.runs ?? 1;
}

/** Why the visitor cannot approve a run. */
export function barrierText({ cannot_approve, approvers }: StoredRun): string {
  switch (cannot_approve) {
    case 'role':
      return 'You can view this request but not decide it: you lack the role approve.';
    case 'own_request':
      return 'You cannot decide this request: you made it, and its route does not allow self-approval.';
    case 'passkey':
      return 'You can read this request but not decide it: its route requires a passkey, and a key cannot sign. Sign in with your account.';
    case 'approved':
      return 'You, or the person you decide for, already approved this request. More people must approve it.';
    default: {
      const names = namesOf(approvers, ' or ');
      return `You cannot decide this request: ${names === '' ? 'you are not one of its approvers' : `it is waiting for ${names}`}.`;
    }
  }
}

/** Identifies a run, and the content that a decision applies to. */
export function idsView({ run_id }: StoredRun, digest: string | null): (Node | string)[] {
  const content = digest === null ? [] : [' · content ', element('code', {}, digest)];
  return ['Run ', element('code', {}, run_id), ...content];
}

/** The latest decision by another approver, in words; null if there is none. */
export function latestNews({ events }: StoredRun, visitor: string): string | null {
  const last = events.at(-1);
  if (last?.event_type !== 'decision' || last.data.principal_id === visitor) return null;
  const { principal_id = 'Another approver', approvals, edited } = last.data;
  const count = approvals === undefined ? '' : ` ${approvals.given} of ${approvals.needed} approvals.`;
  return `${principal_id} ${edited === undefined ? 'approved' : 'edited and approved'} this request.${count}`;
}

/** The content to decide on: the messages as edited so far, and the held answer. */
export function pendingView({ messages, parameters, answer }: PendingRun): HTMLElement[] {
  const held = turnsOf(answer).map((turn, index, all) =>
    messageView(turn, all.length === 1 ? speakerOf(turn) : `${speakerOf(turn)}, ${index + 1} of ${all.length}`),
  );
  const earlier = messages.slice(0, -LAST_MESSAGES).map((message) => messageView(message));
  const latest = messages.slice(-LAST_MESSAGES).map((message) => messageView(message));
  return [
    element('h3', {}, 'Request, with the guards’ edits'),
    ...(earlier.length === 0 ? [] : [fold(earlier)]),
    ...latest,
    ...(Object.keys(parameters).length === 0 ? [] : [parametersView(parameters)]),
    ...(held.length === 0 ? [] : [element('h3', {}, 'Answer awaiting approval'), ...held]),
  ];
}

/** Tools, formats and the like. They are part of the decision, but rarely matter for it. */
function parametersView(parameters: PendingRun['parameters']): HTMLElement {
  const text = textFrame('text mono', [visible(JSON.stringify(parameters, null, 2))]);
  return element('details', {}, element('summary', {}, visible(`Other parameters: ${Object.keys(parameters).join(', ')}`)), text);
}

function fold(messages: readonly HTMLElement[]): HTMLElement {
  const count = messages.length === 1 ? '1 earlier message' : `${messages.length} earlier messages`;
  return element('details', {}, element('summary', {}, count), ...messages);
}
