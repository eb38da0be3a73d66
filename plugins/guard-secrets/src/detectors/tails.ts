import type { Tail } from './detector.ts';

/** A secret that goes on as long as these characters do; with one of the `joints` only where another of them follows. */
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
    // What comes after a joint that came last is not known yet.
    return { inside: end, over: ended || end < text.length - 1 || !joint.test(text.charAt(end)) };
  };
}
