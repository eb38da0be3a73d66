import { type BridgedProtocol, isObject, type RequestFacts } from '@svc/contracts';
import { objectsIn } from './common/json-shapes.ts';
import { headOf, memberOf, parametersOf } from './common/traced.ts';
import { formatOf, outcomeOf, readAnswer, withHead, withUsage } from './responses/answer.ts';
import { RESPONSES_BRIDGE } from './responses/bridge/bridge.ts';
import { checkable, readIn, textOf, writtenIn } from './responses/content.ts';
import { RESPONSES_FRAMES } from './responses/frames/protocol-frames.ts';
import { RESPONSES_ANSWER, RESPONSES_REQUEST } from './responses/tables.ts';
import { RESPONSES_TOOLS } from './responses/tools.ts';
import { addText, rolesOf, turnsOf, turnsOfAnswer, withTurns } from './responses/turns.ts';

/** OpenAI's Responses API. */
export const RESPONSES: BridgedProtocol = {
  id: 'openai.responses',
  request: RESPONSES_REQUEST,
  answer: RESPONSES_ANSWER,
  turnsOf,
  withTurns,
  rolesOf,
  addText,
  factsOf: ({ max_output_tokens, text }): RequestFacts => ({
    answers: 1,
    max_output_tokens: typeof max_output_tokens === 'number' ? max_output_tokens : null,
    // Usage need not be requested, because the last frame always has it.
    wantsJson: (formatOf(text)?.type ?? 'text') !== 'text',
  }),
  parametersOf: (body) => parametersOf(body, memberOf(body.reasoning, 'effort')),
  headOf: (answer) => headOf(isObject(answer.response) ? answer.response : answer),
  readIn,
  readAnswer,
  outcomeOf,
  textOf,
  // Drops the ids of items, which differ for each run.
  contentOf: ({ output }) => objectsIn(output).map(({ id: _, ...item }) => item),
  writtenIn,
  checkable,
  withUsage,
  withHead,
  turnsOfAnswer,
  tools: RESPONSES_TOOLS,
  frames: RESPONSES_FRAMES,
  bridge: RESPONSES_BRIDGE,
};
