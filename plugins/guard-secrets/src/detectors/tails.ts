import type { Tail } from './detector.ts';

/** A secret that continues for as long as these characters follow. One of `joints` continues it only if another of these characters comes next. */
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
