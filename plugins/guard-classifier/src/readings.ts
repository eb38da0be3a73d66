import type { Segment } from '@svc/sdk';
import type { TextOrigin } from '@svc/sdk/guard';
import { jointsOf } from '@svc/toolkit/masking';
import { resultOf, turnOf } from '@svc/toolkit/segments';

/** Texts that count as one, because the model behind the gateway reads them together. */
export interface Reading {
  readonly texts: readonly string[];
  readonly origins: readonly TextOrigin[];
}

/**
 * What the classifier reads. Each text of a message is read by itself. Texts that belong together are also read as one, because an attack may be split
 * over them. The values of a tool's result, of the calls of a message and of a definition are read as one text with a line for each: they are many and
 * short.
 */
export function readings(segments: readonly Segment[], isLooked: (segment: Segment) => boolean): readonly Reading[] {
  const joints = new Map(jointsOf(segments).flatMap(({ orders }, n) => orders.map((order) => [order, `joint ${n}`] as const)));
  const placed = segments
    .map((segment, order) => ({ segment, joint: joints.get(order) }))
    .filter(({ segment }) => isLooked(segment) && segment.text.trim() !== '');
  const groups = Map.groupBy(placed, ({ segment, joint }) => groupOf(segment, joint));
  return Array.from(groups.values(), (group) => {
    const texts = group.map(({ segment }) => segment.text);
    const isJoint = group.every(({ segment, joint }) => joint !== undefined && resultOf(segment) === null);
    return {
      texts: [...new Set(isJoint ? [texts.join(''), ...texts] : [texts.join('\n')])],
      origins: [...new Set(group.map(({ segment }) => segment.origin))],
    };
  });
}

function groupOf(segment: Segment, joint: string | undefined): string {
  const { role, kind, path } = segment;
  const own = resultOf(segment) ?? joint ?? (role !== null && kind === 'text' ? path : null);
  return own ?? `values of ${turnOf(segment) ?? path.split('.', 2).join('.')}`;
}
