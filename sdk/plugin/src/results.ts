import type { Edit, Finding, GuardResult } from '@svc/contracts';

/** Optional members of a result besides verdict and code. */
type More = Partial<Omit<GuardResult, 'verdict' | 'code'>>;

/** The text passes unchanged. `more` may contain findings, or context to add. */
export function allow(code = 'allowed', more: Omit<More, 'edits' | 'hint'> = {}): GuardResult {
  return { findings: [], ...more, verdict: 'allow', code, edits: [] };
}

/** The text passes with these edits. */
export function sanitize(edits: readonly Edit[], findings: readonly Finding[] = [], code = 'sanitized'): GuardResult {
  return { verdict: 'sanitize', code, edits, findings };
}

/** The run ends here. */
export function block(code: string, more: More = {}): GuardResult {
  return { edits: [], findings: [], ...more, verdict: 'block', code };
}

/** The run pauses for approval. The approver sees the text with the edits applied. */
export function pause(code: string, more: More = {}): GuardResult {
  return { edits: [], findings: [], ...more, verdict: 'require_approval', code };
}
