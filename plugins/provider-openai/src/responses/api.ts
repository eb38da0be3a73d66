import type { ChatApi } from '../chat-api.ts';
import { readResponse } from './completion.ts';
import { readEvents } from './events.ts';
import { responsesRequest } from './request.ts';

/** `/responses`: chats are converted on both ways. */
export const RESPONSES: ChatApi = {
  request(request, streamed) {
    const { body, unsupported } = responsesRequest(request);
    return { body: JSON.stringify(streamed ? { ...body, stream: true } : body), unsupported };
  },
  completion: readResponse,
  chunks: readEvents,
};
