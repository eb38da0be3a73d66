import { type FramePlace, isObject, type JsonObject } from '@svc/contracts';
import { exactDigits } from '../../common/exact-json.ts';

/** A string in a value, and where it stands. */
export interface PlacedString {
  readonly place: FramePlace;
  readonly text: string;
}

/** All strings of a value. */
export function* stringsIn(value: unknown, place: FramePlace = []): Generator<PlacedString> {
  if (typeof value === 'string') yield { place, text: value };
  else if (Array.isArray(value)) for (const [at, member] of value.entries()) yield* stringsIn(member, [...place, at]);
  else if (isPlain(value)) for (const [key, member] of Object.entries(value)) yield* stringsIn(member, [...place, key]);
}

/** A copy that shares nothing that can be changed. Numbers that keep their digits are such values. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)])) as T;
}

/** An object whose members are a reader's: no number that keeps its digits. */
export function isPlain(value: unknown): value is JsonObject {
  return isObject(value) && exactDigits(value) === null;
}
