import type { Bridge } from '@svc/sdk/protocol';
import { answerFromChat, FramesFromChat } from './frames-from-chat.ts';
import { answerToChat, FramesToChat } from './frames-to-chat.ts';
import { requestFromChat } from './request-from-chat.ts';
import { requestToChat } from './request-to-chat.ts';

export const BRIDGE: Bridge = {
  requestToChat,
  requestFromChat,
  answerToChat,
  answerFromChat: (completion) => answerFromChat(completion),
  framesToChat: (identity) => new FramesToChat(identity),
  framesFromChat: () => new FramesFromChat(),
};
