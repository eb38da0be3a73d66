import { MESSAGES } from '@svc/protocols';
import { askedRoute } from '../doors/asked-route.ts';
import { countTokens } from '../doors/count-tokens.ts';
import { type MessagesRequest as Asked, readMessages } from '../doors/messages.ts';
import { serveDoor } from '../doors/serve.ts';
import {
  CountTokensRequest,
  ErrorBody,
  keepHeader,
  Message,
  MessageEvent,
  MessagesRequest,
  ref,
  TokenCount,
} from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

export function messagesEndpoints(app: Server, surface: Surface): void {
  const serve = serveDoor<Asked>(surface, readMessages);
  app.post(
    '/v1/messages',
    {
      attachValidation: true,
      config: { metered: true, keepsDigits: true, takesApiKey: true },
      schema: {
        operationId: 'createMessage',
        tags: ['chat'],
        summary: 'Ask a model through a route, in the words of the Messages API',
        description:
          'A blocked, paused or denied request is not an HTTP error, unless the route has `stops: error`: its message has a text that says why, and `svc_event`. The key may come as `x-api-key`.',
        headers: keepHeader,
        body: ref(MessagesRequest),
        response: {
          200: {
            description: 'The message, or its events with `stream`.',
            content: {
              'application/json': { schema: ref(Message) },
              'text/event-stream': { schema: ref(MessageEvent) },
            },
          },
          400: ref(ErrorBody),
          404: ref(ErrorBody),
        },
      },
    },
    serve,
  );

  app.post(
    '/v1/messages/count_tokens',
    {
      attachValidation: true,
      config: { metered: true, keepsDigits: true, takesApiKey: true },
      schema: {
        operationId: 'countMessageTokens',
        tags: ['chat'],
        summary: 'Count the tokens of a request for a message',
        description:
          'Counted by the gateway: nothing is sent to a model, and there is no run. `limits` apply, and the count is charged as input tokens.',
        body: ref(CountTokensRequest),
        response: { 200: ref(TokenCount), 400: ref(ErrorBody), 404: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const route = askedRoute(request, surface);
      const { request: asked } = readMessages(request.body as Asked, request.headers, route.runtime);
      return { input_tokens: await countTokens(MESSAGES.bridge.requestToChat(asked).body, route, surface, reply) };
    },
  );
}
