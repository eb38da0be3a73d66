import { isObject } from '@svc/contracts';
import { isHandle, isOpaque, ORIGIN_MARK } from '@svc/protocols';
import type { FieldPattern } from './field-pattern.ts';

/** Fields that a `signature` beside them covers. */
const SIGNED_TEXTS = ['thinking', 'text'] as const;

/** Makes the handle for fields of a part. Null: the fields are removed. */
export type Conceal = (fields: string) => string | null;
/** The fields that a handle stands for. Null: the handle is invalid. */
export type Reveal = (handle: string) => string | null;

/**
 * Replaces the sealed values in a body, or in a part of one, with handles. The handle of a signature also contains the signed texts. So the vendor
 * gets back what it signed, even if guards edit the texts for the caller.
 */
export function concealed<T>(value: T, pattern: FieldPattern, conceal: Conceal): T {
  const field: Change['field'] = (part, name, text) => {
    if (!isOpaque(text)) return part;
    const signed = name === 'signature' ? SIGNED_TEXTS.filter((field) => typeof Reflect.get(part, field) === 'string') : [];
    const fields = [name, ...signed].map((field) => [field, Reflect.get(part, field)]);
    return withField(part, name, conceal(JSON.stringify(Object.fromEntries(fields))));
  };
  return changed(value, pattern, { from: 'first', field, unmarks: false }) as T;
}

/**
 * Decrypts the handles in a body, or in a part of one, starting with the newest turns. An invalid handle is removed. If its part is useless without
 * it, the part is removed. Marks of origin are removed too. `gone` is called with the place of each removed part.
 */
export function revealed<T>(value: T, pattern: FieldPattern, reveal: Reveal, gone?: (place: string) => void): T {
  const field: Change['field'] = (part, name, text, isEssential) => {
    if (!isHandle(text)) return part;
    const kept = reveal(text);
    const fields: unknown = kept === null ? null : JSON.parse(kept);
    // A handle that stands for another field is in the wrong place, and is removed.
    if (isObject(fields) && Object.hasOwn(fields, name)) return { ...part, ...fields };
    return isEssential ? GONE : withField(part, name, null);
  };
  return changed(value, pattern, { from: 'last', field, gone, unmarks: true }) as T;
}

/** Marks a part that is not sent, because it is useless without its sealed value. */
const GONE = Symbol('gone');

/** How strings in sealed places are changed. `from`: the end of a list where changes start, because there may be a maximum number. */
interface Change {
  readonly from: 'first' | 'last';
  readonly unmarks: boolean;
  readonly field: (part: object, name: string, text: string, isEssential: boolean) => object | typeof GONE;
  /** Called with the place of each removed part. */
  readonly gone?: ((place: string) => void) | undefined;
}

/** Returns the same value if nothing changes. */
function changed(value: unknown, pattern: FieldPattern, change: Change): unknown {
  if (Array.isArray(value)) return changedItems(value, pattern.items, change);
  return isObject(value) ? changedMembers(value, pattern, change) : value;
}

function changedItems(items: readonly unknown[], pattern: FieldPattern, change: Change): readonly unknown[] {
  let after: unknown[] | null = null;
  for (let n = 0; n < items.length; n += 1) {
    const at = change.from === 'first' ? n : items.length - 1 - n;
    const item = changed(items[at], pattern, change);
    if (item === items[at]) continue;
    after ??= [...items];
    after[at] = item;
  }
  return after?.filter((item) => item !== GONE) ?? items;
}

function changedMembers(object: object, pattern: FieldPattern, change: Change): object | typeof GONE {
  let after = change.unmarks && pattern.isMarkable ? unmarked(object) : object;
  for (const name of Object.keys(after)) {
    const member: unknown = Reflect.get(object, name);
    if (typeof member === 'string') {
      const { isSealed, isEssential } = pattern.member(name).facts;
      if (!isSealed) continue;
      const next = change.field(after, name, member, isEssential);
      if (next === GONE) {
        change.gone?.(pattern.text);
        return GONE;
      }
      after = next;
    } else if (typeof member === 'object' && member !== null) {
      const next = changed(member, pattern.member(name), change);
      if (next === GONE) after = withField(after, name, null);
      else if (next !== member) after = { ...after, [name]: next };
    }
  }
  return after;
}

function unmarked(object: object): object {
  return Object.hasOwn(object, ORIGIN_MARK) ? withField(object, ORIGIN_MARK, null) : object;
}

function withField(part: object, name: string, value: string | null): object {
  const entries = Object.entries(part).flatMap(([key, old]) =>
    key !== name ? [[key, old]] : value === null ? [] : [[key, value]],
  );
  return Object.fromEntries(entries);
}
