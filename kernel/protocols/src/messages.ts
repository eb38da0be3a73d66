import { type AnswerBody, type AnswerFrame, type AnswerIdentity, type BridgedProtocol, isObject } from '@svc/contracts';
import { finishReason } from './common/finish-reason.ts';
import { withoutGatewayFields } from './common/gateway-fields.ts';
import { headOf, memberOf, parametersOf } from './common/traced.ts';
import { blocksIn, hasCalls, readMessage, textOf, withUsage, writtenIn } from './messages/answer.ts';
import { MESSAGES_BRIDGE } from './messages/bridge/bridge.ts';
import { MessageEnding } from './messages/ending.ts';
import { MessageGatherer } from './messages/gatherer.ts';
import { MessagesReader } from './messages/reader.ts';
import { addText, factsOf, readIn, rolesOf, turnsOf } from './messages/request.ts';
import { MESSAGES_ANSWER, MESSAGES_FRAME, MESSAGES_REQUEST } from './messages/tables.ts';
import { MESSAGES_TOOLS } from './messages/tools.ts';
import { framesOf } from './messages/whole-frames.ts';
import { readUsage } from './usage/read-usage.ts';

/** Anthropic's Messages API. */
export const MESSAGES: BridgedProtocol = {
  id: 'anthropic.messages',
  request: MESSAGES_REQUEST,
  answer: MESSAGES_ANSWER,
  turnsOf,
  rolesOf,
  withTurns: (body, messages) => ({ ...body, messages }),
  addText,
  factsOf,
  parametersOf: (body) => parametersOf(body, memberOf(body.output_config, 'effort')),
  headOf: (answer) => headOf(isObject(answer.message) ? answer.message : answer),
  readIn,
  readAnswer: readMessage,
  outcomeOf: (answer) => ({
    finish_reason: typeof answer.stop_reason === 'string' ? finishReason(answer.stop_reason, hasCalls(answer)) : null,
    usage: readUsage(answer.usage),
  }),
  textOf,
  contentOf: ({ content }) => content,
  writtenIn,
  checkable: (answer) => ({ answer, left_out: [] }),
  withUsage,
  withHead,
  turnsOfAnswer: (answer) => {
    const content = blocksIn(answer);
    return content.length === 0 ? [] : [{ role: 'assistant', content }];
  },
  tools: MESSAGES_TOOLS,
  frames: {
    table: MESSAGES_FRAME,
    reader: () => new MessagesReader(),
    gatherer: () => new MessageGatherer(),
    framesOf,
    ending: () => new MessageEnding(),
    keepAlive: { type: 'ping' },
    opening: () => [],
    isOpening: () => false,
    numbered: (frame) => frame,
    withUsage: (frame, usage) => (frame.type === 'message_delta' ? withUsage({ ...frame, usage: null }, usage) : frame),
    withReceipts: (frame, receipts) => (frame.type === 'message_delta' ? { ...frame, ...receipts } : frame),
  },
  bridge: MESSAGES_BRIDGE,
};

/** Sets the head of a message, or of the message within a frame. */
function withHead<T extends AnswerBody | AnswerFrame>(answer: T, { id, model }: AnswerIdentity): T {
  const head = { id: `msg_${id}`, model };
  const { message } = answer;
  const within = isObject(message) ? { ...answer, message: { ...withoutGatewayFields(message), ...head } } : answer;
  return answer.type === 'message' ? { ...within, ...head } : within;
}
