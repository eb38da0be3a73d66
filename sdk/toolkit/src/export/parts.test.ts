import type { ExportRecord } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotAccepted } from './not-accepted.ts';
import { Parts } from './parts.ts';

const clock = { now: () => 0, monotonic: () => 0 };
const upTo = (last: number): ExportRecord[] =>
  Array.from({ length: last }, (_, index) => ({ seq: index + 1, hash: `sha256:${index + 1}`, bytes: '{}' }));

/** Delivers as the queue does, until a delivery makes no progress. */
async function delivered(parts: Parts, records: readonly ExportRecord[], accept: (part: readonly ExportRecord[]) => boolean) {
  const sent: number[][] = [];
  let through = 0;
  for (let before = -1; through > before && through < records.length; ) {
    before = through;
    const outcome = await parts
      .send(records.slice(through), async (part) => {
        sent.push(part.map(({ seq }) => seq));
        if (!accept(part)) throw new NotAccepted('HTTP_400');
      })
      .catch((error: NotAccepted) => error);
    through = outcome.through ?? through;
    // The first attempt may fail with the full size.
    if (outcome instanceof NotAccepted && (sent.at(-1)?.length ?? 0) > 1) before = -1;
  }
  return { sent, through };
}

it('delivers everything before a record that is never accepted, and then repeats only that record', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 256 }), fc.integer({ min: 1, max: 256 }), async (most, poison) => {
      const parts = new Parts({ most, clock });
      const accept = (part: readonly ExportRecord[]) => part.every(({ seq }) => seq !== poison);
      const { through } = await delivered(parts, upTo(256), accept);
      expect(through).toBe(poison - 1);
      const again = await delivered(parts, upTo(256).slice(through), accept);
      expect(again.sent).toEqual([[poison]]);
    }),
  );
});

it('delivers everything to a receiver that accepts only small parts', async () => {
  const { through, sent } = await delivered(new Parts({ most: 256, clock }), upTo(256), (part) => part.length <= 10);
  expect(through).toBe(256);
  expect(sent.length).toBeLessThan(256);
});

it('sends full parts again after a failure', async () => {
  const parts = new Parts({ most: 64, clock });
  let isDown = true;
  const sizes: number[] = [];
  const send = () =>
    parts.send(upTo(256), async (part) => {
      sizes.push(part.length);
      if (isDown) throw new NotAccepted('ECONNREFUSED');
    });
  await expect(send()).rejects.toMatchObject({ code: 'ECONNREFUSED', through: undefined });
  isDown = false;
  expect(await send()).toEqual({ through: 256 });
  expect(sizes).toEqual([64, 1, 2, 4, 8, 16, 32, 64, 64, 64, 1]);
});
