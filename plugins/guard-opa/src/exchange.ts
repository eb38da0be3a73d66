import type { GuardContext, GuardResult, JsonValue, Segment } from '@svc/sdk';
import { wrongPlace } from '@svc/toolkit/service';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** The policy's `input`. */
export function inputOf(segments: readonly Segment[], ctx: GuardContext): object {
  const { stage, node, route, principal_id, team, run_id, mode, endpoints, max_output_tokens } = ctx;
  const texts = segments.map(({ index: _, is_thinking: __, ...segment }) => segment);
  return {
    version: 1,
    stage,
    node,
    route,
    principal: principal_id,
    team,
    run_id,
    mode,
    endpoints: endpoints.map(({ provider, model, region }) => ({ provider, model, region })),
    max_output_tokens,
    texts,
  };
}

const Decision = Type.Object({
  verdict: Type.Enum(['allow', 'block', 'require_approval']),
  code: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' })),
  reason: Type.Optional(Type.String()),
});
/** Unknown fields are ignored. If `result` is missing, the rule is undefined. */
const Answer = Compile(Type.Object({ result: Type.Optional(Type.Union([Type.Boolean(), Decision])) }));

/** A single line that may be shown to the caller. */
const HINT = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,300}$/u;

/**
 * Null if the answer is invalid.
 * @param wrong gets the place in the schema
 * @param leaveOut called if the policy's reason cannot be shown to a caller, because it is empty, has several lines or is too long
 */
export function resultOf(answer: JsonValue, wrong: (place: string) => null, leaveOut: () => void): GuardResult | null {
  if (!Answer.Check(answer)) return wrong(wrongPlace(Answer, answer));
  const { result } = answer;
  const made = (verdict: GuardResult['verdict'], code: string): GuardResult => ({
    verdict,
    code,
    edits: [],
    findings: verdict === 'allow' ? [] : [{ entity_type: code, count: 1 }],
  });
  if (result === undefined) return made('block', 'undefined');
  if (typeof result === 'boolean') return made(result ? 'allow' : 'block', 'opa');
  const { verdict, code = 'opa', reason } = result;
  if (verdict === 'allow' || reason === undefined) return made(verdict, code);
  if (HINT.test(reason)) return { ...made(verdict, code), hint: { text: reason } };
  leaveOut();
  return made(verdict, code);
}
