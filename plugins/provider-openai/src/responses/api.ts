import type { ChatApi } from '../chat/api.ts';
import { withoutExtensions } from '../chat/extensions.ts';
import { readResponse } from './completion.ts';
import { readEvents } from './events.ts';
import { responsesRequest } from './request.ts';

/** `/responses`: chats are converted on both ways. */
export const RESPONSES: ChatApi = {
  request(request, streamed) {
    const { request: asked, unsupported: extensions } = withoutExtensions(request, []);
    const { body, unsupported } = responsesRequest(asked);
    return { body: JSON.stringify(streamed ? { ...body, stream: true } : body), unsupported: [...extensions, ...unsupported] };
  },
  completion: readResponse,
  chunks: readEvents,
};
