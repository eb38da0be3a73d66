import type { Joint } from '@svc/toolkit/masking';
import { resultOf } from '@svc/toolkit/segments';
import type { SeenSegment } from '@svc/toolkit/work';

/**
 * Groups of texts that are scored as one, because an attack may be split over them: texts that a model reads as one, and the
 * values of a tool result.
 * @param joints of all segments; `looked` holds their indexes in `order`
 */
export function readings<S extends SeenSegment & { readonly order: number }>(
  looked: readonly S[],
  joints: readonly Joint[],
): readonly (readonly S[])[] {
  const joined = new Map(joints.flatMap(({ orders }, n) => orders.map((order) => [order, `joint ${n}`] as const)));
  const groups = new Map<string, S[]>();
  for (const segment of looked) {
    const name = resultOf(segment) ?? joined.get(segment.order) ?? segment.path;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [segment]);
    else group.push(segment);
  }
  return [...groups.values()];
}

/**
 * The readings of a group: one text per line, and the texts of a joint also run together and individually, since a word may be
 * cut. The many short values of a tool result are not read individually, which would take some 20 times as long.
 */
export function textsOf(group: readonly SeenSegment[]): readonly string[] {
  const all = group.map(({ text }) => text);
  if (all.length < 2) return all;
  const texts = group.filter(({ kind }) => kind === 'text').map(({ text }) => text);
  return texts.length < 2 ? [all.join('\n')] : [all.join('\n'), texts.join(''), ...texts];
}
