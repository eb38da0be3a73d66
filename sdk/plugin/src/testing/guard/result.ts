import assert from 'node:assert/strict';
import { type AddedContext, type Guard, type GuardResult, type Hint, type Segment, VERDICTS, type Verdict } from '@svc/contracts';
import { assertEdits } from './edits.ts';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** What the contract asks of every result, whatever was found. */
export function assertResult(result: GuardResult, guard: Guard, segments: readonly Segment[]): void {
  assert.ok(VERDICTS.includes(result.verdict), `'${result.verdict}' is no verdict`);
  assert.ok(isDeclared(result.verdict, guard), `verdict '${result.verdict}' is not among the declared ones`);
  assertCode(result.code);
  assert.ok(Array.isArray(result.edits) && Array.isArray(result.findings), 'edits and findings are arrays');
  if (result.verdict === 'allow') assert.equal(result.edits.length, 0, "'allow' has no edits");
  assertEdits(result.edits, segments);
  assertHint(result.hint);
  assertContext(result.context);
  for (const { entity_type, count } of result.findings) {
    assert.match(entity_type, NAME, 'a finding is named by letters, digits, . _ and -');
    assert.ok(Number.isSafeInteger(count) && count >= 0, 'a count is a non-negative integer');
  }
}

function assertContext(context: AddedContext | undefined): void {
  if (context === undefined) return;
  assert.ok(context.text !== '' && context.text.isWellFormed(), 'what is added is well-formed and not empty');
  for (const { id, score } of context.sources) {
    assert.match(id, /^[A-Za-z0-9._:-]{1,128}$/, 'a source is named by letters, digits, . _ : and -');
    assert.ok(Math.abs(score) <= 1, 'a score is from -1 to 1');
  }
}

export function assertHint(hint: Hint | undefined): void {
  if (hint === undefined) return;
  assert.match(hint.text, /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,300}$/u, 'a hint is one line of 1 to 300 characters');
  if (hint.retry_at !== undefined)
    assert.ok(Number.isSafeInteger(hint.retry_at) && hint.retry_at >= 0, 'retry_at is in whole milliseconds');
}

export function assertCode(code: string): void {
  assert.match(code, NAME, 'a code has 1 to 64 letters, digits, . _ or -');
}

/** A text that the guard saw stands nowhere in what is recorded or logged. */
export function assertSilent(recorded: unknown, text: string): void {
  if (text === '') return;
  const json = JSON.stringify(recorded) ?? '';
  assert.ok(!json.includes(JSON.stringify(text).slice(1, -1)), 'codes, findings and logs must not hold text that the guard saw');
}

export function isDeclared(verdict: Verdict, guard: Guard): boolean {
  return verdict === 'allow' || guard.verdicts.includes(verdict);
}
