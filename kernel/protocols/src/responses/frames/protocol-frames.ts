import { type AnswerFrame, isObject, type ProtocolFrames } from '@svc/contracts';
import { withUsage } from '../answer.ts';
import { checkableFrame } from '../content.ts';
import { begunResponse } from '../settings.ts';
import { ResponseEnding } from './ending.ts';
import { ResponseGatherer } from './gatherer.ts';
import { ResponsesReader } from './reader.ts';
import { RESPONSES_FRAME } from './table.ts';
import { framesOfAnswer, openingOf } from './whole-frames.ts';

const OPENING: ReadonlySet<unknown> = new Set(['response.created', 'response.queued', 'response.in_progress']);
const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

export const RESPONSES_FRAMES: ProtocolFrames = {
  table: RESPONSES_FRAME,
  reader: () => new ResponsesReader(),
  checkable: checkableFrame,
  gatherer: () => new ResponseGatherer(),
  framesOf: framesOfAnswer,
  ending: () => new ResponseEnding(),
  keepAlive: { type: 'keepalive' },
  opening: (asked, identity) => [...openingOf(begunResponse(asked, identity))],
  isOpening: ({ type }) => OPENING.has(type),
  numbered: ({ type, ...frame }, sequence_number): AnswerFrame => ({ type, ...frame, sequence_number }),
  withUsage: (frame, usage) =>
    LAST.has(frame.type) && isObject(frame.response)
      ? { ...frame, response: withUsage({ ...frame.response, usage: null }, usage) }
      : frame,
  withReceipts: (frame, receipts) =>
    LAST.has(frame.type) && isObject(frame.response) ? { ...frame, response: { ...frame.response, ...receipts } } : frame,
};
