import { SvcError } from '@svc/kernel/contracts';

/** Levels of nesting that a body may have: enough for any JSON schema in use, few enough for every recursive walk behind it. */
const MOST_LEVELS = 64;

/**
 * Refuses JSON that could not be recorded faithfully: lone surrogates (two texts would share one hash), numbers beyond a double, and nesting
 * that exhausts a stack.
 * @throws {SvcError} SVC-REQ-001
 */
export function assertRecordable(body: unknown): void {
  const open: { value: unknown; level: number }[] = [{ value: body, level: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level } = next;
    if (typeof value === 'string') assertWellFormed(value);
    else if (typeof value === 'number' && !Number.isFinite(value)) throw new SvcError('SVC-REQ-001', 'a number is too large');
    if (typeof value !== 'object' || value === null) continue;
    if (level > MOST_LEVELS) throw new SvcError('SVC-REQ-001', `the body is nested deeper than ${MOST_LEVELS} levels`);
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) assertWellFormed(key);
      open.push({ value: member, level: level + 1 });
    }
  }
}

function assertWellFormed(text: string): void {
  if (!text.isWellFormed()) throw new SvcError('SVC-REQ-001', 'a string holds half of a surrogate pair and is no Unicode text');
}
