import { type FramePlace, isObject, type JsonValue } from '@svc/contracts';

/** Members that identify an object. Clients reject objects without them. */
const KEPT: ReadonlySet<string> = new Set(['type', 'format']);

/** A copy of the delta in which this text is at this place, and all other texts are empty. */
export function withText(delta: JsonValue, place: FramePlace, text: string): JsonValue {
  const [step, ...rest] = place;
  if (step === undefined) return text;
  if (Array.isArray(delta)) return delta.map((item, at) => (at === step ? withText(item, rest, text) : emptied(item)));
  if (!isObject(delta)) return delta;
  const members = Object.entries(delta).map(([key, member]) => [
    key,
    key === step ? withText(member, rest, text) : emptiedMember(key, member),
  ]);
  return Object.fromEntries(members);
}

/** A copy with all texts empty. */
export function emptied(value: JsonValue): JsonValue {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return value.map(emptied);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, emptiedMember(key, member)]));
}

function emptiedMember(key: string, member: JsonValue): JsonValue {
  return KEPT.has(key) && typeof member === 'string' ? member : emptied(member);
}
