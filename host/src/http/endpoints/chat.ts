import type { ChatRequest as Chat, JsonObject } from '@svc/contracts';
import { Type } from 'typebox';
import { readAnyChat } from '../doors/input-chat.ts';
import { serveDoor } from '../doors/serve.ts';
import { readTextCompletion } from '../doors/text-completion.ts';
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatErrorFrame,
  ChatInputRequest,
  ChatRequest,
  CompletionRequest,
  ErrorBody,
  keepHeader,
  ref,
  TextCompletion,
} from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

export function chatEndpoints(app: Server, surface: Surface): void {
  const serve = serveDoor<Chat>(surface, (body, _headers, route) => readAnyChat(body, route));
  app.post(
    '/v1/chat/completions',
    {
      // An unknown route is told before anything is said of the messages.
      attachValidation: true,
      config: { metered: true, keepsDigits: true },
      schema: {
        operationId: 'createChatCompletion',
        tags: ['chat'],
        summary: 'Ask a model through a route',
        description:
          'A blocked, paused or denied request is not an HTTP error, unless the route has `stops: error`: it returns a completion with finish_reason content_filter.',
        headers: keepHeader,
        body: Type.Union([ref(ChatRequest), ref(ChatInputRequest)]),
        response: {
          200: {
            description:
              'The complete answer, or server-sent events with `stream`. Comment lines keep the connection of an idle stream alive.',
            content: {
              'application/json': { schema: ref(ChatCompletion) },
              'text/event-stream': { schema: Type.Union([ref(ChatCompletionChunk), ref(ChatErrorFrame)]) },
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
    '/v1/completions',
    {
      attachValidation: true,
      config: { metered: true, keepsDigits: true },
      schema: {
        operationId: 'createCompletion',
        tags: ['chat'],
        summary: 'Have a model go on from a text',
        description:
          "OpenAI's older API, for clients that know no other. The prompt is the message of a user: guards see it so, and any route serves it. A blocked, paused or denied request is answered as on `/v1/chat/completions`.",
        headers: keepHeader,
        body: ref(CompletionRequest),
        response: {
          200: {
            description:
              'The complete answer, or server-sent events with `stream`. Comment lines keep the connection of an idle stream alive.',
            content: {
              'application/json': { schema: ref(TextCompletion) },
              'text/event-stream': { schema: Type.Union([ref(TextCompletion), ref(ChatErrorFrame)]) },
            },
          },
          400: ref(ErrorBody),
          404: ref(ErrorBody),
        },
      },
    },
    serveDoor<JsonObject>(surface, (body, _headers, route) => readTextCompletion(body, route)),
  );
}
