import type { Tail } from './detector.ts';

/** The secret continues while these characters follow; it continues over one of the `joints` only if another of them comes next. */
export function asLongAs(characters: string, joints?: string): Tail {
  const other = new RegExp(
    joints === undefined ? `[^${characters}]` : `[^${joints}${characters}]|[${joints}](?![${characters}])`,
    'g',
  );
  const joint = new RegExp(`[${joints ?? ''}]`);
  return (text, from, ended) => {
    other.lastIndex = from;
    const end = other.exec(text)?.index;
    if (end === undefined) return { inside: text.length, over: ended };
    // After a final joint, the next character decides.
    return { inside: end, over: ended || end < text.length - 1 || !joint.test(text.charAt(end)) };
  };
}
