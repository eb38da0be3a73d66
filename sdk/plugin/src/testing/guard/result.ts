import { type AddedContext, type Guard, type GuardResult, type Hint, type Segment, VERDICTS, type Verdict } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { assertEdits } from './edits.ts';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Asserts that a result follows the contract. */
export function assertResult(result: GuardResult, guard: Guard, segments: readonly Segment[]): void {
  assert.ok(VERDICTS.includes(result.verdict), `a verdict of ${VERDICTS.join(', ')}`, 'another');
  assert.ok(
    isDeclared(result.verdict, guard),
    `a verdict that is declared (${guard.verdicts.join(', ')})`,
    `'${result.verdict}'`,
  );
  assertCode(result.code);
  assert.ok(Array.isArray(result.edits), 'edits to be an array', typeof result.edits);
  assert.ok(Array.isArray(result.findings), 'findings to be an array', typeof result.findings);
  if (result.verdict === 'allow') assert.same(result.edits.length, 0, "edits with the verdict 'allow'");
  assertEdits(result.edits, segments);
  assertHint(result);
  assertContext(result.context);
  for (const { entity_type, count } of result.findings) {
    assert.matches(entity_type, NAME, 'a finding named by 1 to 64 letters, digits, . _ or -');
    assert.ok(Number.isSafeInteger(count) && count >= 0, 'a count that is a non-negative integer', count);
  }
}

function assertContext(context: AddedContext | undefined): void {
  if (context === undefined) return;
  assert.ok(context.text !== '' && context.text.isWellFormed(), 'context that is well-formed and not empty', 'another');
  for (const { id, score } of context.sources) {
    assert.matches(id, /^[A-Za-z0-9._:-]{1,128}$/, 'a source named by 1 to 128 letters, digits, . _ : or -');
    assert.ok(Math.abs(score) <= 1, 'a score from -1 to 1', score);
  }
}

/** Asserts that there is a hint only if the run stops, because otherwise it would not reach the caller. */
export function assertHint({ verdict, hint }: { readonly verdict: Verdict; readonly hint?: Hint | undefined }): void {
  if (hint === undefined) return;
  assert.ok(verdict === 'block' || verdict === 'require_approval', 'a hint only with block or require_approval', `'${verdict}'`);
  assert.matches(hint.text, /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,300}$/u, 'a hint of one line of 1 to 300 characters');
  if (hint.retry_at !== undefined)
    assert.ok(Number.isSafeInteger(hint.retry_at) && hint.retry_at >= 0, 'retry_at in whole milliseconds', hint.retry_at);
}

export function assertCode(code: string): void {
  assert.matches(code, NAME, 'a code of 1 to 64 letters, digits, . _ or -');
}

/** Asserts that a checked text is neither recorded nor logged. */
export function assertSilent(recorded: unknown, text: string): void {
  if (text === '') return;
  const json = JSON.stringify(recorded) ?? '';
  const isThere = json.includes(JSON.stringify(text).slice(1, -1));
  assert.ok(!isThere, 'no checked text in codes, findings and logs', 'checked text');
}

export function isDeclared(verdict: Verdict, guard: Guard): boolean {
  return verdict === 'allow' || guard.verdicts.includes(verdict);
}
