import type { Segment, SegmentKind, Stage } from '@svc/contracts';

/** Frozen segments of one message each, as the gateway creates them in this stage. */
export function segmentsOf(stage: Stage, texts: readonly string[], kind: SegmentKind = 'text'): readonly Segment[] {
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
