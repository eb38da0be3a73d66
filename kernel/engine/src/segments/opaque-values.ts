import { isObject } from '@svc/contracts';
import { isHandle, isOpaque } from '@svc/protocols';
import type { FieldPattern } from './field-pattern.ts';

/** Texts that a `signature` beside them was made of. */
const SIGNED_TEXTS = ['thinking', 'text'] as const;

/** What stands for fields of a part, as one text that says nothing; null: they are left out. */
export type Conceal = (fields: string) => string | null;
/** The fields that a handle stands for; null: it is none. */
export type Reveal = (handle: string) => string | null;

/**
 * A body, or a part of it, with handles in place of its sealed values. The handle of a signature stands for the texts that were signed, too: guards
 * may edit those for the caller, and the vendor gets back what it signed.
 */
export function concealed<T>(value: T, pattern: FieldPattern, conceal: Conceal): T {
  return changed(value, pattern, (part, name, text) => {
    if (!isOpaque(text)) return part;
    const signed = name === 'signature' ? SIGNED_TEXTS.filter((field) => typeof Reflect.get(part, field) === 'string') : [];
    const fields = [name, ...signed].map((field) => [field, Reflect.get(part, field)]);
    return withField(part, name, conceal(JSON.stringify(Object.fromEntries(fields))));
  });
}

/** A body, or a part of it, with what its handles stand for. What has the form of one and is none is left out. */
export function revealed<T>(value: T, pattern: FieldPattern, reveal: Reveal): T {
  return changed(value, pattern, (part, name, text) => {
    if (!isHandle(text)) return part;
    const kept = reveal(text);
    const fields: unknown = kept === null ? null : JSON.parse(kept);
    // One that stood for a field of another name is in the wrong place.
    return isObject(fields) && Object.hasOwn(fields, name) ? { ...part, ...fields } : withField(part, name, null);
  });
}

type Change = (part: object, name: string, text: string) => object;

/** The value itself where nothing changes. From the newest turn on: changes may be bounded, and those of long ago may be missing. */
function changed<T>(value: T, pattern: FieldPattern, change: Change): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = pattern;
    let after: unknown[] | null = null;
    for (let at = value.length - 1; at >= 0; at -= 1) {
      const item: unknown = value[at];
      const changedItem = changed(item, items, change);
      if (changedItem === item) continue;
      after ??= [...value];
      after[at] = changedItem;
    }
    return (after ?? value) as T;
  }
  let after: object = value;
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name);
    if (typeof member === 'string') {
      if (pattern.member(name).facts.isSealed) after = change(after, name, member);
    } else if (typeof member === 'object' && member !== null) {
      const changedMember = changed(member, pattern.member(name), change);
      if (changedMember !== member) after = { ...after, [name]: changedMember };
    }
  }
  return after as T;
}

function withField(part: object, name: string, value: string | null): object {
  const entries = Object.entries(part).flatMap(([key, old]) =>
    key !== name ? [[key, old]] : value === null ? [] : [[key, value]],
  );
  return Object.fromEntries(entries);
}
