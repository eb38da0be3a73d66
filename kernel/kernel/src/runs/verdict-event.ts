import {
  type AddedContext,
  type Endpoint,
  type Finding,
  type Hint,
  mergedFindings,
  type RunEvent,
  runEvent,
  type Stage,
  type Verdict,
} from '@svc/contracts';
import type { GuardFailure } from '../calls/guard-call.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { PipelineNode } from './route.ts';
import type { RunPolicy } from './run-policy.ts';
import type { Scanned } from './texts.ts';

/** Maximum number of unreadable parts that an event names; the others are only counted. A request may have 16,000, and each node records an event. */
const MAX_SKIPPED = 20;

export interface JudgedNode {
  readonly verdict: Verdict;
  readonly code: string;
  readonly scanned: Scanned;
  readonly findings: readonly Finding[];
  /** Milliseconds. Rounded in the event, because records hold only integers. */
  readonly duration_ms: number;
  readonly failure: GuardFailure | null;
  /** `text` is only for the caller. `retry_at` is also recorded. */
  readonly hint?: Hint | undefined;
  /** The sources of the text that the guard adds to the request. */
  readonly sources?: AddedContext['sources'] | undefined;
  /** The text that is added to the request, with its sources. */
  readonly added?: AddedContext | undefined;
  /** The endpoint that the guard was asked about. */
  readonly endpoint?: Endpoint;
}

const NOTHING: Scanned = { segments: 0, characters: 0, skipped: [] };

/** The only function that creates a `JudgedNode`. By default nothing was scanned or found, nothing failed, and the judgement took no time. */
export function judgedNode(said: Pick<JudgedNode, 'verdict' | 'code'> & Partial<JudgedNode>): JudgedNode {
  return { scanned: NOTHING, findings: [], duration_ms: 0, failure: null, ...said };
}

/** For a guard that failed. `verdict` is the one that `on_error` sets. */
export function failedNode(verdict: Verdict, failure: GuardFailure, seen: Partial<JudgedNode>): JudgedNode {
  return judgedNode({ ...seen, verdict, code: 'SVC-NODE-001', failure });
}

/** When a node saw the text: before any of it was sent (`whole`), while it was sent (`window`), or after it was sent (`post`). */
export type NodeMode = 'whole' | 'window' | 'post';

export type EventNode = Pick<PipelineNode, 'name' | 'package' | 'version' | 'mode'>;

/** The event of one node in one stage: `verdict`, or `observed` if the node only observes. Contains no text of callers or models. */
export function verdictEvent(node: EventNode, stage: Stage | 'execute', judged: JudgedNode, mode: NodeMode = 'whole'): RunEvent {
  const { verdict, code, scanned, findings, duration_ms, failure, hint, sources, endpoint } = judged;
  const stops = verdict === 'block' || verdict === 'require_approval';
  // In canonical order, see evidenceOf.
  return runEvent(node.mode === 'observe' ? 'observed' : 'verdict', stage, node.name, {
    code,
    duration_ms: Math.round(duration_ms),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(failure === null ? {} : { failure }),
    findings: findings.length === 0 ? [] : mergedFindings(findings.map(recorded)),
    mode,
    package: node.package,
    ...(sources === undefined ? {} : { retrieved: sources.map(({ id, score }) => ({ id, score_ppm: millionths(score) })) }),
    ...(stops && hint?.retry_at !== undefined ? { retry_at: hint.retry_at } : {}),
    scanned: scannedEvent(scanned),
    verdict,
    version: node.version,
  });
}

function scannedEvent({ characters, segments, skipped }: Scanned) {
  const more = skipped.length - MAX_SKIPPED;
  return { characters, segments, skipped: skipped.slice(0, MAX_SKIPPED), ...(more > 0 ? { skipped_more: more } : {}) };
}

/** Records hold only integers. */
function millionths(score: number): number {
  return Math.round(score * 1_000_000) + 0;
}

/** A finding as records have it. */
function recorded({ count, entity_type, origins, score }: Finding) {
  return {
    count,
    entity_type,
    ...(origins !== undefined && { origins: [...origins] }),
    ...(score !== undefined && { score_ppm: millionths(score) }),
  };
}

/** Whether operators have disabled the node's guard. If they have, an event records that the node was skipped. */
export function skipNode(
  node: Pick<PipelineNode, 'name' | 'required' | 'package' | 'version'>,
  stage: Stage | 'execute',
  events: RunEvent[],
  policy: RunPolicy,
): boolean {
  const operation = policy.guardStop(node);
  if (operation === null) return false;
  // In canonical order, see evidenceOf.
  events.push(runEvent('skipped', stage, node.name, { operation, package: node.package, version: node.version }));
  return true;
}

/** Notifies the observer of a node's verdict and duration. `ended`: a monotonic time. */
export function reportNode(run: PipelineRun, node: EventNode, stage: Stage | 'execute', judged: JudgedNode, ended: number): void {
  run.timeline.nodes.push({
    node: node.name,
    stage,
    verdict: judged.verdict,
    observed: node.mode === 'observe',
    started_ms: run.timeline.at(ended - judged.duration_ms),
    duration_ms: judged.duration_ms,
  });
}
