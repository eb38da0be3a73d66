import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GUARD_SETS, masked, streamed } from '../harness/stream-lag.ts';
import { tokenStreams } from '../harness/token-streams.ts';

const words = [...tokenStreams().values()].flat(2);
const values = [
  ...['1234-5678-9012', 'OPS-4711', 'ann@example.org', '4111 1111 1111 1111', '192.168.1.17', 'Dr. Jane Smith', 'Claude Monet'],
  ...['Claude', ' is a language model', 'password: ', 'hunter2Hunter2', 'AKIAQ3EGRIJKLMNOPQRS', '://ann:pw0rd@', '<PERSON_1>'],
  ...['SSN 123-45-6', '+44 20 7946 0951', '😀', '\u200b'],
];
const token = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: fc.constantFrom(...values) });
const text = fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join(''));
const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });

function piecesOf(whole: string, wanted: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let rest = [...whole]; rest.length > 0; ) pieces.push(rest.splice(0, wanted[pieces.length % wanted.length]).join(''));
  return pieces;
}

test('rules, secrets and pii in a row give the same result for a stream as for the whole text, for any pieces', async () => {
  const guards = GUARD_SETS['rules, secrets, pii'];
  await fc.assert(
    fc.asyncProperty(text, lengths, async (whole, wanted) => {
      expect((await streamed(guards, piecesOf(whole, wanted))).join('')).toBe(await masked(guards, whole));
    }),
  );
});
