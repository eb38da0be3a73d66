import {
  type CounterSettlement,
  type EndpointVerdict,
  type Guard,
  type GuardResult,
  type Hint,
  isAddedContext,
  isObject,
  type StreamStep,
  TEXT_ORIGINS,
  VERDICTS,
} from '@svc/contracts';

/** Limits the number of types, because the evidence records each of them. */
const MAX_TYPES = 1_000;

const CODE = /^[A-Za-z0-9._-]{1,64}$/;

/** A guard's result whose edits and `withheld` are unchecked. `Seen.edit` checks them while it applies them, because there may be a million edits. */
export type ReturnedResult = Omit<GuardResult, 'edits' | 'withheld'> & {
  readonly edits: readonly unknown[];
  readonly withheld?: unknown;
};

/**
 * Whether a guard's result satisfies the contract, except for its edits. A third-party guard may return anything.
 * @param mayAdd whether the guard checked a request, to which it may add text
 */
export function isGuardResult(value: unknown, guard: Guard, mayAdd = false): value is ReturnedResult {
  if (!isObject(value) || !isVerdict(value.verdict, guard) || !isCode(value.code)) return false;
  if (value.hint !== undefined && !isHint(value.hint)) return false;
  if (value.context !== undefined && !(mayAdd && isAddedContext(value.context))) return false;
  const { edits, findings, verdict } = value;
  if (!Array.isArray(edits) || !Array.isArray(findings)) return false;
  return (
    (verdict !== 'allow' || (edits.length === 0 && value.withheld === undefined)) &&
    (findings.length === 0 || areFindings(findings))
  );
}

export function isEndpointVerdict(value: unknown, guard: Guard): value is EndpointVerdict {
  return (
    isObject(value) &&
    value.verdict !== 'sanitize' &&
    isVerdict(value.verdict, guard) &&
    isCode(value.code) &&
    (value.hint === undefined || isHint(value.hint))
  );
}

export function isStreamStep(value: unknown): value is StreamStep {
  if (!isObject(value) || typeof value.release !== 'string' || !value.release.isWellFormed()) return false;
  return value.stop === undefined || (isObject(value.stop) && isCode(value.stop.code));
}

/** A single line that is safe to show on a page, in a terminal or in a log. */
const HINT = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,300}$/u;
/** The latest time that a Date can hold. */
const LAST_MOMENT = 8.64e15;

function isHint(value: unknown): value is Hint {
  if (!isObject(value) || typeof value.text !== 'string' || !HINT.test(value.text)) return false;
  return value.retry_at === undefined || (isAmount(value.retry_at) && Number(value.retry_at) <= LAST_MOMENT);
}

const MAX_KEY_BYTES = 512;

/** Whether a guard's settlements can be written. One invalid value would fail the commit for every run that shares it. */
export function isSettlement(value: unknown): value is CounterSettlement {
  if (!isObject(value) || !isKey(value.reservation) || !Array.isArray(value.spend)) return false;
  return [...value.spend].every(
    (spend) => isObject(spend) && isKey(spend.key) && isAmount(spend.amount) && isAmount(spend.expires_at),
  );
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_KEY_BYTES && !/[\p{Cc}\p{Cs}]/u.test(value);
}

function isAmount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isVerdict(value: unknown, guard: Guard): boolean {
  return value === 'allow' || VERDICTS.some((verdict) => verdict === value && guard.verdicts.includes(verdict));
}

function isCode(value: unknown): boolean {
  return typeof value === 'string' && CODE.test(value);
}

function areFindings(findings: readonly unknown[]): boolean {
  const types = new Set<unknown>();
  // Copied first, because `every` skips the holes of a sparse array.
  return [...findings].every((finding) => isFinding(finding) && types.add(Reflect.get(finding, 'entity_type')).size <= MAX_TYPES);
}

function isFinding(value: unknown): value is object {
  if (!isObject(value) || !isCode(value.entity_type) || !isAmount(value.count)) return false;
  const { origins = [], score = 0 } = value;
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return false;
  return Array.isArray(origins) && [...origins].every((origin) => TEXT_ORIGINS.some((each) => each === origin));
}
