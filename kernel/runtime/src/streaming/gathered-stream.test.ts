import type { Guard, GuardContext, Segment } from '@svc/contracts';
import { expect, it } from 'vitest';
import { GatheredStream } from './gathered-stream.ts';

const source = (text: string): Segment => ({
  index: 0,
  text,
  kind: 'text',
  role: 'assistant',
  path: 'citations.0',
  choice: 0,
  origin: 'assistant',
  untrusted: false,
});

it('a part that an upstream repeats in each frame is judged once', async () => {
  const seen: string[] = [];
  const check: Guard['check'] = (segments) => {
    seen.push(...segments.map(({ text }) => text));
    return { verdict: 'allow', code: 'clean', edits: [], findings: [] };
  };
  const stream = new GatheredStream({ stages: ['egress'], verdicts: [], check }, {} as GuardContext, false);
  for (const text of ['one', 'one', 'two', 'one']) stream.complete([source(text)]);
  await stream.finish();
  expect(seen).toEqual(['one', 'two']);
});
