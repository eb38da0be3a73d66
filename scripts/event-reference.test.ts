import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVENTS_PAGE, withEvents } from './event-reference.ts';

it('docs/events.md is what the schemas say (else: npm run docs)', () => {
  const page = readFileSync(EVENTS_PAGE, 'utf8');
  expect(page).toBe(withEvents(page));
});
