import type { MadeCall } from '@svc/sdk/guard';
import { type Fits, holdsPlaceholder, normalArguments } from './arguments.ts';
import type { Judged } from './judged.ts';
import { isSafe } from './names.ts';
import { decide } from './policy.ts';
import type { Policy, RulesOf } from './request.ts';

/** A call, and whether a tool of that name was offered. */
export interface OfferedCall {
  readonly call: MadeCall;
  readonly isOffered: boolean;
}

/** Why a call is refused whatever the rules say, or null. */
export function faultOf({ call, isOffered }: OfferedCall, { unoffered, placeholders }: Policy['options']): Judged | null {
  if (!isSafe(call)) return { verdict: 'block', code: 'unsafe-name' };
  if (!isOffered && unoffered === 'block') return { verdict: 'block', code: 'unoffered-call' };
  const normal = normalArguments(call);
  if (normal === null) return { verdict: 'block', code: 'malformed-arguments' };
  return placeholders === 'block' && holdsPlaceholder(normal) ? { verdict: 'block', code: 'placeholder' } : null;
}

/** Judges a call that has no fault. */
export function judgeCall(call: MadeCall, { options }: Policy, rulesOf: RulesOf, fits: Fits): Judged[] {
  const { action, code } = decide(rulesOf(call), options.default, (rule) => fits(call, rule));
  if (action === 'deny') return [{ verdict: 'block', code }];
  return action === 'approve' ? [{ verdict: 'require_approval', code }] : [];
}
