import type { Segment, SegmentKind, Stage } from '@svc/contracts';

/**
 * Frozen segments, as the gateway passes them to a guard: in `ingress` one message of a user each, in `egress` one choice of an answer each.
 */
export function fakeSegments(stage: Stage, texts: readonly string[], kind: SegmentKind = 'text'): readonly Segment[] {
  const segments = texts.map((text, index): Segment => {
    const place =
      stage === 'ingress'
        ? ({ role: 'user', path: `messages.${index}.content`, choice: null, origin: 'user', untrusted: false } as const)
        : ({
            role: 'assistant',
            path: `choices.${index}.message.content`,
            choice: index,
            origin: 'assistant',
            untrusted: false,
          } as const);
    return Object.freeze({ index, text, kind, ...place });
  });
  return Object.freeze(segments);
}
