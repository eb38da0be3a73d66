import type { Finding, RunEvent, SkippedPart, Stage, Verdict } from '../contracts/index.ts';
import type { GuardFailure } from './judge.ts';
import type { PipelineNode } from './route.ts';

export interface Scanned {
  readonly segments: number;
  /** UTF-16 code units. */
  readonly characters: number;
  readonly skipped: readonly SkippedPart[];
}

export interface JudgedNode {
  readonly verdict: Verdict;
  readonly code: string;
  readonly scanned: Scanned;
  readonly findings: readonly Finding[];
  readonly duration_ms: number;
  readonly failure: GuardFailure | null;
}

/** What an event says of the node it comes from. */
export type EventNode = Pick<PipelineNode, 'name' | 'package' | 'version' | 'mode'>;

/** The event of one node in one stage: `verdict`, or `observed` where its mode only records. Holds no text of anyone. */
export function verdictEvent(node: EventNode, stage: Stage | 'execute', judged: JudgedNode): RunEvent {
  const { verdict, code, scanned, findings, duration_ms, failure } = judged;
  return {
    event_type: node.mode === 'observe' ? 'observed' : 'verdict',
    stage,
    node: node.name,
    data: {
      verdict,
      code,
      package: node.package,
      version: node.version,
      mode: 'whole',
      scanned,
      findings: findings.map(({ entity_type, count }) => ({ entity_type, count })),
      duration_ms,
      ...(failure === null ? {} : { failure }),
    },
  };
}
