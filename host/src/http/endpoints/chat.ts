import type { ChatRequest as Chat, JsonObject } from '@svc/contracts';
import { Type } from 'typebox';
import { ASKS_MODEL, STOPS } from '../description/answers.ts';
import { completion, json, MESSAGES, RECEIPTS, route, run_id } from '../description/samples.ts';
import { readAnyChat } from '../doors/input-chat.ts';
import { type DoorParts, serveDoor } from '../doors/serve.ts';
import { readTextCompletion } from '../doors/text-completion.ts';
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatErrorFrame,
  ChatInputRequest,
  ChatRequest,
  CompletionRequest,
  ref,
  runHeaders,
  TextCompletion,
} from '../schemas.ts';
import type { Server } from '../typed-server.ts';

const lastChunk = {
  id: `chatcmpl-${run_id}`,
  object: 'chat.completion.chunk',
  created: 1767603600,
  model: route,
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  ...RECEIPTS,
};
const textCompletion = {
  id: 'cmpl-01900000-0000-7000-8000-000000000001',
  object: 'text_completion',
  created: 1_795_000_000,
  model: route,
  choices: [{ index: 0, text: ' there was a gateway.', logprobs: null, finish_reason: 'stop' }],
  usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
};

const declared = {
  ...ASKS_MODEL,
  keepsDigits: true,
  errors: [...ASKS_MODEL.errors, ...STOPS],
};

export function chatEndpoints(app: Server, parts: DoorParts): void {
  app.post(
    '/v1/chat/completions',
    {
      attachValidation: true,
      config: {
        ...declared,
        example: {
          request: { model: route, messages: MESSAGES },
          response: { ...json(completion), 'text/event-stream': lastChunk },
        },
      },
      schema: {
        operationId: 'createChatCompletion',
        tags: ['chat'],
        summary: 'Call a model through a route',
        description:
          'A blocked, paused or denied request is not an HTTP error, unless the route has `stops: error`: it returns a completion with finish_reason content_filter.',
        headers: runHeaders,
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
        },
      },
    },
    serveDoor<Chat>(parts, (body, _headers, route) => readAnyChat(body, route)),
  );
  app.post(
    '/v1/completions',
    {
      attachValidation: true,
      config: {
        ...declared,
        example: {
          request: { model: route, prompt: 'Once upon a time', max_tokens: 64 },
          response: { ...json(textCompletion), 'text/event-stream': { ...textCompletion, usage: null } },
        },
      },
      schema: {
        operationId: 'createCompletion',
        tags: ['chat'],
        summary: 'Complete a text',
        description:
          "OpenAI's older API, for clients that support no other. Guards see the prompt as a user message, and any route can serve it. Blocked, paused and denied requests are answered as on `/v1/chat/completions`.",
        headers: runHeaders,
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
        },
      },
    },
    serveDoor<JsonObject>(parts, (body, _headers, route) => readTextCompletion(body, route)),
  );
}
