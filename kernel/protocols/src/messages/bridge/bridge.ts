import type { Bridge } from '@svc/contracts';
import { answerFromChat } from './answer-from-chat.ts';
import { answerToChat } from './answer-to-chat.ts';
import { FramesFromChat } from './frames-from-chat.ts';
import { FramesToChat } from './frames-to-chat.ts';
import { requestFromChat } from './request-from-chat.ts';
import { requestToChat } from './request-to-chat.ts';

export const MESSAGES_BRIDGE: Bridge = {
  requestToChat,
  requestFromChat,
  answerToChat,
  answerFromChat,
  framesToChat: (identity) => new FramesToChat(identity),
  framesFromChat: (asked) => new FramesFromChat(asked),
};
