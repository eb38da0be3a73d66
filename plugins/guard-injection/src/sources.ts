import type { Joint } from '@svc/toolkit/masking';
import { isCall, isInstruction, isToolRole, resultOf } from '@svc/toolkit/segments';
import type { SeenSegment } from '@svc/toolkit/work';

/** Who may have written a text. */
export const SOURCES = ['user', 'tool', 'tool_calls', 'assistant', 'system', 'request'] as const;
export type Source = (typeof SOURCES)[number];

/** A role that nobody knows is taken for a user's. */
export function sourceOf(segment: SeenSegment): Source {
  const { role } = segment;
  if (role === null) return 'request';
  if (isInstruction(role)) return 'system';
  if (isToolRole(role)) return 'tool';
  if (role !== 'assistant') return 'user';
  return isCall(segment) ? 'tool_calls' : 'assistant';
}

/**
 * Texts that are read as one, since an order may be given in several: what a model reads as one, and the values of what a tool gave.
 * @param joints those of all segments, in which `looked` have their orders
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
 * How a group reads: each on a line of its own; and texts, which may be cut within a word, run together and each by itself. The values of a
 * tool's result are many and short: each by itself would take some 20 times as long.
 */
export function textsOf(group: readonly SeenSegment[]): readonly string[] {
  const all = group.map(({ text }) => text);
  if (all.length < 2) return all;
  const texts = group.filter(({ kind }) => kind === 'text').map(({ text }) => text);
  return texts.length < 2 ? [all.join('\n')] : [all.join('\n'), texts.join(''), ...texts];
}
