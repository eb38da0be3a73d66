import { type Edit, type EndpointVerdict, type Guard, type GuardResult, type Segment, VERDICTS } from '../contracts/index.ts';
import { editsAreValid } from '../segments/index.ts';

const CODE = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether a guard's answer keeps the contract. A guard from outside may return anything. */
export function isGuardResult(value: unknown, guard: Guard, segments: readonly Segment[]): value is GuardResult {
  if (!isObject(value) || !isVerdict(value.verdict, guard) || !isCode(value.code)) return false;
  const { edits, findings, verdict } = value;
  if (!Array.isArray(edits) || !Array.isArray(findings)) return false;
  if (verdict === 'allow' && edits.length > 0) return false;
  // Spread, since `every` passes over the holes of a sparse array.
  const all = [...edits];
  return all.every(isEdit) && editsAreValid(all, segments) && [...findings].every(isFinding);
}

export function isEndpointVerdict(value: unknown, guard: Guard): value is EndpointVerdict {
  return isObject(value) && value.verdict !== 'sanitize' && isVerdict(value.verdict, guard) && isCode(value.code);
}

function isVerdict(value: unknown, guard: Guard): boolean {
  return value === 'allow' || VERDICTS.some((verdict) => verdict === value && guard.verdicts.includes(verdict));
}

function isCode(value: unknown): boolean {
  return typeof value === 'string' && CODE.test(value);
}

function isEdit(value: unknown): value is Edit {
  if (!isObject(value) || typeof value.replacement !== 'string') return false;
  return [value.segment, value.start, value.end].every(Number.isInteger);
}

function isFinding(value: unknown): boolean {
  return isObject(value) && isCode(value.entity_type) && Number.isSafeInteger(value.count) && Number(value.count) >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
