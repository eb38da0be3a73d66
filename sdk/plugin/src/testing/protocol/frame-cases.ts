import type { AnswerBody, AnswerFrame, ProtocolFrames } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { pieces, random } from '../cases/random.ts';
import type { ProtocolConformanceOptions } from './recorded.ts';
import { withText } from './walk.ts';

const SEED = 20_261_126;
const LONGEST = 5;

/** Laws 1 and 4: frames are passed on unchanged, and the answer does not depend on how texts are split. */
export function frameCases({ protocol, streams }: ProtocolConformanceOptions): ConformanceCase[] {
  const { frames } = protocol;
  return [
    {
      name: 'reads frames without changing them, and reports the answer as complete at the last',
      run: async () => {
        for (const stream of streams) {
          const reader = frames.reader();
          for (const frame of stream) {
            const before = structuredClone(frame);
            reader.read(frame);
            assert.deepEqual(frame, before, 'a frame that was read');
          }
          assert.ok(reader.isComplete, 'a complete answer', 'an incomplete answer');
        }
      },
    },
    {
      name: 'does not report a truncated answer as complete',
      run: async () => {
        for (const stream of streams) {
          const reader = frames.reader();
          for (const frame of stream)
            if (!reader.read(structuredClone(frame)).isLast) assert.ok(!reader.isComplete, 'no end yet', 'one');
        }
      },
    },
    {
      name: 'reads each piece of text as a string in its frame, in a channel whose path has known names',
      run: async () => {
        for (const stream of streams) {
          const reader = frames.reader();
          for (const frame of stream)
            for (const { channel, place } of reader.read(frame).pieces) {
              assert.equal(typeof textAt(frame, place), 'string', 'a piece');
              const names = reader.pathOf(channel).split('.');
              const isKnown = (name: string): boolean => /^\d+$|^other$/.test(name) || protocol.answer.isKnownField(name);
              assert.ok(names.every(isKnown), 'a path of known names and indexes', 'another');
            }
        }
      },
    },
    {
      name: 'assembles the same answer however the stream is split',
      run: async () => {
        const next = random(SEED);
        for (const stream of streams) assert.deepEqual(gathered(frames, cut(frames, stream, next)), gathered(frames, stream));
      },
    },
    {
      name: 'assembles an answer with an edited text, and changes nothing else',
      run: async () => {
        for (const stream of streams) {
          const edited: string = JSON.stringify(gathered(frames, edit(frames, stream)));
          assert.equal(edited.replaceAll('EDITED', ''), emptied(frames, stream), 'the rest of the answer');
        }
      },
    },
    {
      name: 'assembles the frames of a whole answer to that answer',
      run: async () => {
        for (const stream of streams) {
          const whole = gathered(frames, stream);
          assert.deepEqual(gathered(frames, [...frames.framesOf(structuredClone(whole))]), whole);
        }
      },
    },
    {
      name: 'writes the same frames for a part that was not edited',
      run: async () => {
        for (const stream of streams)
          for (const [part, itsFrames] of partsOf(frames, stream)) {
            const again = frames.reader().framesOf(part, itsFrames);
            assert.deepEqual(frames.reader().partOf(again).value, part.value, 'the part');
          }
      },
    },
    {
      name: 'completes an answer that the gateway ends, with its text',
      run: async () => {
        const usage = { input_tokens: 1, output_tokens: 2, cached_input_tokens: 0, estimated: false };
        for (const stream of streams)
          for (const left of [0, Math.ceil(stream.length / 2)]) {
            const ending = frames.ending();
            const sent = stream.slice(0, left);
            for (const frame of sent) ending.take(frame);
            const identity = { id: 'run', created: 1, model: 'route' };
            const begun = left === 0 ? [...frames.opening({ model: 'route' }, identity)] : [];
            for (const frame of begun) ending.take(frame);
            const last = [...ending.frames('Stopped here.', 'content', usage)];
            assert.ok(JSON.stringify(last).includes('Stopped here.'), 'the text', 'none');
          }
      },
    },
  ];
}

function gathered(frames: ProtocolFrames, stream: readonly AnswerFrame[]): AnswerBody {
  const gatherer = frames.gatherer();
  for (const frame of stream) gatherer.take(structuredClone(frame));
  return gatherer.answer();
}

/** The stream, with every piece of text split into several frames. */
function cut(frames: ProtocolFrames, stream: readonly AnswerFrame[], next: () => number): AnswerFrame[] {
  const reader = frames.reader();
  return stream.flatMap((frame) => {
    const [first, second] = reader.read(frame).pieces;
    if (first === undefined || second !== undefined) return [frame];
    const cuts = pieces(String(textAt(frame, first.place)), LONGEST, next);
    const rest = cuts.pop() ?? '';
    return [...cuts.map((text) => reader.pieceOf(first.channel, text)), withText(frame, first.place, rest)];
  });
}

/** The stream, with a different text on each channel. */
function edit(frames: ProtocolFrames, stream: readonly AnswerFrame[]): AnswerFrame[] {
  const reader = frames.reader();
  return stream.map((frame) => {
    const { pieces: found } = reader.read(frame);
    return found.reduce((edited, { place }) => withText(edited, place, 'EDITED'), frame);
  });
}

function emptied(frames: ProtocolFrames, stream: readonly AnswerFrame[]): string {
  const reader = frames.reader();
  const empty = stream.map((frame) => reader.read(frame).pieces.reduce((left, { place }) => withText(left, place, ''), frame));
  return JSON.stringify(gathered(frames, empty));
}

/** The parts that are held back until they are complete, with their frames. */
function partsOf(frames: ProtocolFrames, stream: readonly AnswerFrame[]) {
  const reader = frames.reader();
  const waiting = new Map<string, AnswerFrame[]>();
  const found: [ReturnType<typeof reader.partOf>, readonly AnswerFrame[]][] = [];
  for (const frame of stream) {
    const { part } = reader.read(frame);
    if (part === null) continue;
    const itsFrames = [...(waiting.get(part.name) ?? []), frame];
    waiting.set(part.name, itsFrames);
    if (part.isComplete) found.push([reader.partOf(itsFrames), itsFrames]);
  }
  return found;
}

function textAt(frame: AnswerFrame, place: readonly (string | number)[]): unknown {
  return place.reduce<unknown>((value, name) => Reflect.get(Object(value), name), frame);
}
