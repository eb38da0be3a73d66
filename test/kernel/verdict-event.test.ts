import { expect, it } from 'vitest';
import { type JudgedNode, judgedNode, verdictEvent } from '../../kernel/kernel/src/runs/verdict-event.ts';
import { ALLOW, guardOf, nodeOf } from '../../kernel/runtime/src/test-parts.ts';

const node = nodeOf(
  'a',
  guardOf(() => ALLOW),
);

function eventOf(part: { skipped?: number; findings?: JudgedNode['findings'] }) {
  const { skipped: count = 0, findings = [] } = part;
  const skipped = Array.from({ length: count }, (_, n) => ({ path: `messages.${n}`, why: 'image' as const }));
  const scanned = { segments: 1, characters: 2, skipped };
  const event = verdictEvent(node, 'ingress', judgedNode({ verdict: 'allow', code: 'c', scanned, findings, duration_ms: 1 }));
  if (event.event_type !== 'verdict') throw new Error(event.event_type);
  return event.data;
}

it('names the first unreadable parts, and counts the others', () => {
  expect(eventOf({ skipped: 20 }).scanned).not.toHaveProperty('skipped_more');
  const { scanned } = eventOf({ skipped: 16_000 });
  expect(scanned).toMatchObject({ skipped_more: 15_980 });
  expect(JSON.stringify(scanned).length).toBeLessThan(2_000);
});

it('has one finding per type, in integers', () => {
  const findings = [
    { entity_type: 'a', count: 1 },
    { entity_type: 'b', count: Number.MAX_SAFE_INTEGER },
    { entity_type: 'a', count: 2 },
    { entity_type: 'b', count: Number.MAX_SAFE_INTEGER },
  ];
  expect(eventOf({ findings }).findings).toEqual([
    { entity_type: 'a', count: 3 },
    { entity_type: 'b', count: Number.MAX_SAFE_INTEGER },
  ]);
});
