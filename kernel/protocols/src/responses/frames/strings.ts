import { type FramePlace, isObject } from '@svc/contracts';

/** A string in a value, and its place. */
export interface PlacedString {
  readonly place: FramePlace;
  readonly text: string;
}

export function* stringsIn(value: unknown, place: FramePlace = []): Generator<PlacedString> {
  if (typeof value === 'string') yield { place, text: value };
  else if (Array.isArray(value)) for (const [at, member] of value.entries()) yield* stringsIn(member, [...place, at]);
  else if (isObject(value)) for (const [key, member] of Object.entries(value)) yield* stringsIn(member, [...place, key]);
}
