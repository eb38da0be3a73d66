import type { FramePlace } from '@svc/contracts';
import { define } from '@svc/protocols';

/** The text at a place of a frame, or null. */
export function textAt(frame: object, place: FramePlace): string | null {
  const value = valueAt(frame, place);
  return typeof value === 'string' ? value : null;
}

/**
 * Takes a value out of its place.
 * @returns a function that puts a value back, or removes the member if the value is undefined. It finds the member even if a guard has renamed it. If
 * the place no longer exists, it does nothing
 */
export function takenFrom(frame: object, place: FramePlace): (value: unknown) => void {
  const holder = Object(valueAt(frame, place.slice(0, -1)));
  let name = String(place.at(-1));
  // A placeholder that guards do not see.
  const gap = {};
  define(holder, name, gap);
  let isOut = true;
  return (value) => {
    const found = isOut ? Object.keys(holder).find((key) => Reflect.get(holder, key) === gap) : name;
    isOut = false;
    if (found === undefined) return;
    name = found;
    if (value === undefined && !Array.isArray(holder)) Reflect.deleteProperty(holder, name);
    else define(holder, name, value ?? '');
  };
}

/** Puts a value into an existing place. */
export function putAt(frame: object, place: FramePlace, value: unknown): void {
  const holder = valueAt(frame, place.slice(0, -1));
  const name = place.at(-1);
  if (typeof holder === 'object' && holder !== null && name !== undefined) define(holder, String(name), value);
}

/** The value at a place. Undefined if there is no such place. */
export function valueAt(frame: object, place: FramePlace): unknown {
  return place.reduce<unknown>((at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined), frame);
}
