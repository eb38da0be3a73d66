import type { Edit, Finding, GuardResult } from '@svc/contracts';

/** Optional members of a result besides verdict and code. */
type More = Partial<Omit<GuardResult, 'verdict' | 'code'>>;

/** The text passes unchanged. `more` may contain findings, or context to add. */
export function allow(code = 'allowed', more: Omit<More, 'edits' | 'hint'> = {}): GuardResult {
  return { findings: [], ...more, verdict: 'allow', code, edits: [] };
}

/** The text passes with the edits in `more`. */
export function sanitize(code: string, more: More & Pick<GuardResult, 'edits'>): GuardResult;
/** @deprecated Write `sanitize(code, { edits, findings })`. Works until the next version of the contracts. */
export function sanitize(edits: readonly Edit[], findings?: readonly Finding[], code?: string): GuardResult;
export function sanitize(given: string | readonly Edit[], more: More | readonly Finding[] = {}, code = 'sanitized'): GuardResult {
  if (typeof given !== 'string') return { verdict: 'sanitize', code, edits: given, findings: Array.isArray(more) ? more : [] };
  return { edits: [], findings: [], ...more, verdict: 'sanitize', code: given };
}

/** The run ends here. */
export function block(code: string, more: More = {}): GuardResult {
  return { edits: [], findings: [], ...more, verdict: 'block', code };
}

/** The run pauses for approval. The approver sees the text with the edits in `more` applied. */
export function pause(code: string, more: More = {}): GuardResult {
  return { edits: [], findings: [], ...more, verdict: 'require_approval', code };
}
