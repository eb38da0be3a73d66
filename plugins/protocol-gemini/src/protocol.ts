import { type AnswerFrame, type BridgedProtocol, objectsIn } from '@svc/sdk/protocol';
import { checkable, readWhole, textOf, withHead, withUsage, writtenIn } from './bodies/answer.ts';
import { Ending } from './bodies/ending.ts';
import { factsOf as outcomeOf } from './bodies/facts.ts';
import { Gatherer } from './bodies/gatherer.ts';
import { GeminiReader } from './bodies/reader.ts';
import { addText, factsOf, parametersOf, readIn, rolesOf, turnsOf } from './bodies/request.ts';
import { ANSWER, REQUEST } from './bodies/tables.ts';
import { TOOLS } from './bodies/tools.ts';
import { BRIDGE } from './bridge/bridge.ts';

/** Google's Gemini API: `generateContent` and `streamGenerateContent`, whose frames have the same form as whole answers. */
export const GEMINI: BridgedProtocol = {
  id: 'google.gemini',
  request: REQUEST,
  answer: ANSWER,
  turnsOf,
  withTurns: (body, contents) => ({ ...body, contents }),
  rolesOf,
  addText,
  factsOf,
  parametersOf,
  headOf: ({ responseId: id, modelVersion: model }) => (id == null && model == null ? null : { id, model }),
  readIn,
  readAnswer: readWhole,
  outcomeOf,
  textOf,
  contentOf: ({ candidates }) => objectsIn(candidates).map(({ content }) => content ?? null),
  writtenIn,
  checkable,
  withUsage,
  withHead,
  turnsOfAnswer: ({ candidates }) => {
    const [first] = objectsIn(candidates);
    return first?.content === undefined ? [] : [first.content];
  },
  tools: TOOLS,
  frames: {
    table: ANSWER,
    reader: () => new GeminiReader(),
    checkable,
    gatherer: () => new Gatherer(),
    framesOf: (answer) => [answer as AnswerFrame],
    ending: () => new Ending(),
    keepAlive: null,
    opening: () => [],
    isOpening: () => false,
    numbered: (frame) => frame,
    withUsage: (frame, usage) => ('usageMetadata' in frame ? withUsage({ ...frame, usageMetadata: null }, usage) : frame),
    withReceipts: (frame, receipts) =>
      objectsIn(frame.candidates).some(({ finishReason }) => finishReason != null) || 'promptFeedback' in frame
        ? { ...frame, ...receipts }
        : frame,
  },
  bridge: BRIDGE,
};
