import type { GuardContext, GuardResult, Segment } from '@svc/sdk';
import { JsonCounter } from '@svc/sdk/json';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** The JSON that is sent to the endpoint. New fields may be added at any time. Incompatible changes get another `version`. */
export interface Question {
  readonly version: 1;
  readonly stage: 'ingress' | 'egress';
  /** Name of the pack in the configuration. */
  readonly node: string;
  readonly route: string;
  readonly principal_id: string;
  readonly run_id: string;
  /** `observe`: the verdict is recorded but not enforced. */
  readonly mode: 'enforce' | 'observe';
  readonly segments: readonly Segment[];
}

export function question(
  segments: readonly Segment[],
  { stage, node, route, principal_id, run_id, mode }: GuardContext,
): Question {
  const shown = segments.map(({ is_thinking: _, ...segment }) => segment);
  return { version: 1, stage, node, route, principal_id, run_id, mode, segments: shown };
}

const NAME = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' });
const COUNT = Type.Integer({ minimum: 0 });

/** The endpoint's response. Unknown fields are ignored. Compiled, because it may contain 12,000 edits. */
const Answer = Compile(
  Type.Object({
    verdict: Type.Enum(['allow', 'sanitize', 'block', 'require_approval']),
    code: Type.Optional(NAME),
    edits: Type.Optional(Type.Array(Type.Object({ segment: COUNT, start: COUNT, end: COUNT, replacement: Type.String() }))),
    findings: Type.Optional(Type.Array(Type.Object({ entity_type: NAME, count: COUNT }))),
    hint: Type.Optional(Type.Object({ text: Type.String(), retry_at: Type.Optional(COUNT) })),
  }),
);

/** The result in a response body. Null if it is invalid or its JSON is too large. */
export function resultOf(text: string): GuardResult | null {
  if (new JsonCounter().text(text) !== null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Answer.Check(value)) return null;
  const { verdict, code = 'webhook', edits = [], findings = [], hint } = value;
  return {
    verdict,
    code,
    edits: edits.map(({ segment, start, end, replacement }) => ({ segment, start, end, replacement })),
    findings: findings.map(({ entity_type, count }) => ({ entity_type, count })),
    // With any other verdict, the run continues and nobody would receive the hint.
    ...(hint === undefined || verdict === 'allow' || verdict === 'sanitize'
      ? {}
      : { hint: { text: hint.text, ...(hint.retry_at === undefined ? {} : { retry_at: hint.retry_at }) } }),
  };
}
