import { type FieldTable, isObject } from '@svc/contracts';

/** A place in a body, as guards and tables name it. */
export interface Found {
  readonly path: readonly (string | number)[];
  /** With `*` for indexes and `?` for unknown keys. */
  readonly pattern: string;
  readonly value: string;
  /** The object or array that contains the string. */
  readonly within: object;
  /** Whether a model wrote the string as a tool argument. */
  readonly isInput: boolean;
}

/** Every string of a body, with its place according to a table. */
export function* stringsOf(body: unknown, table: FieldTable): Generator<Found> {
  yield* below(body, { path: [], pattern: '', within: Object(body), isInput: false }, table);
}

function* below(value: unknown, at: Omit<Found, 'value'>, table: FieldTable): Generator<Found> {
  if (typeof value === 'string') yield { ...at, value };
  else if (Array.isArray(value)) {
    const pattern = step(at.pattern, '*');
    for (const [index, member] of value.entries())
      yield* below(member, { ...at, path: [...at.path, index], pattern, within: value }, table);
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const pattern = step(at.pattern, !at.isInput && table.isKnownField(key) ? key : '?');
      const isInput = at.isInput || table.placeOf(pattern).isToolInput;
      yield* below(member, { path: [...at.path, key], pattern, within: value, isInput }, table);
    }
  }
}

function step(pattern: string, name: string): string {
  return pattern === '' ? name : `${pattern}.${name}`;
}

/** Whether guards see text in this place. */
export function isShown({ pattern, within }: Found, text: string, table: FieldTable): boolean {
  const { isOwn, vocabulary, opaqueKind } = table.placeOf(pattern);
  const opaque = opaqueKind?.(text, within) ?? null;
  return !isOwn && !vocabulary.has(text) && opaque?.readable !== false;
}

/** The body, with another string in one place. */
export function withText<T>(body: T, path: readonly (string | number)[], text: string): T {
  const copy = structuredClone(body);
  const last = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>((value, name) => Reflect.get(Object(value), name), copy);
  if (last !== undefined && typeof holder === 'object' && holder !== null) Reflect.set(holder, last, text);
  return copy;
}
