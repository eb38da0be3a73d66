import { describe, expect, test } from 'vitest';
import { type Frame, frameOf, framesIn, type Generation, generationIn, numberFrame } from './frames.ts';

const GENERATION: Generation = { id: '0011223344556677', base: 7 };
const TEXTS = ['first', 'é'.repeat(5000), 'third', 'x'.repeat(300)];

function encodeFrame(generation: Generation, { number, text }: Frame): Buffer {
  // A frame may be made of several texts.
  const frame = frameOf([text.slice(0, 2), text.slice(2)]);
  numberFrame(frame, generation, number);
  return frame;
}

const frames = TEXTS.map((text, n) => encodeFrame(GENERATION, { number: 8 + n, text }));
const before = Buffer.concat(frames.slice(0, -1));
const last = frames.at(-1) ?? Buffer.alloc(0);
const SPACE = Buffer.alloc(16 * 4096);

test('frames are read as they were written, to the last', () => {
  const read = framesIn(Buffer.concat([before, last, SPACE]), GENERATION);
  expect(read.frames.map(({ text }) => text)).toEqual(TEXTS);
  expect(read).toMatchObject({ end: before.length + last.length, is_broken: false });
});

describe('a last frame that was torn', () => {
  const used = 28 + 300;
  test.each([
    ['behind which the file ends', (at: number) => Buffer.concat([before, last.subarray(0, at)])],
    ['behind which is nothing', (at: number) => Buffer.concat([before, last.subarray(0, at), SPACE])],
    [
      'behind which is what was there before',
      (at: number) => {
        const old = encodeFrame({ ...GENERATION, base: 2 }, { number: 5, text: 'o'.repeat(500) });
        return Buffer.concat([before, last.subarray(0, at), old.subarray(at), SPACE]);
      },
    ],
    [
      'of which only the end was written',
      (at: number) => Buffer.concat([before, Buffer.alloc(at + 1), last.subarray(at + 1), SPACE]),
    ],
  ])('at any byte, %s, is invalid, and earlier frames are intact', (_, torn) => {
    for (let at = 0; at < used; at += 1) {
      const read = framesIn(torn(at), GENERATION);
      expect(
        read.frames.map(({ text }) => text),
        `torn at ${at}`,
      ).toEqual(TEXTS.slice(0, -1));
      expect(read, `torn at ${at}`).toMatchObject({ end: before.length, is_broken: false });
    }
  });
});

test('any byte that changes in a frame that is not the last is found', () => {
  const whole = Buffer.concat([...frames, SPACE]);
  const start = frames[0]?.length ?? 0;
  for (const at of [...Array.from({ length: 40 }, (_, n) => n), 5000, 10_000]) {
    const changed = Buffer.from(whole);
    changed[start + at] = (changed[start + at] ?? 0) ^ 1;
    expect(framesIn(changed, GENERATION), `byte ${at}`).toMatchObject({ frames: [{ text: 'first' }], is_broken: true });
  }
});

test('what an earlier generation left behind does not count', () => {
  const next = { ...GENERATION, base: 11 };
  const log = Buffer.concat([...frames, SPACE]);
  expect(framesIn(log, next)).toEqual({ frames: [], end: 0, is_broken: false });
  encodeFrame(next, { number: 12, text: 'new' }).copy(log);
  expect(generationIn(log)).toMatchObject(next);
  expect(framesIn(log, next)).toMatchObject({ frames: [{ number: 12, text: 'new' }], is_broken: false });
});
