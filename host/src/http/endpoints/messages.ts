import { MESSAGES } from '@svc/protocols';
import { ASKS_MODEL, LIMITS, STOPS } from '../description/answers.ts';
import { ANSWER, json, RECEIPTS, run_id, MESSAGES as SENT, route as sample } from '../description/samples.ts';
import { askedRoute } from '../doors/asked-route.ts';
import { type CountingParts, countTokens } from '../doors/count-tokens.ts';
import { type MessagesRequest as Asked, readMessages } from '../doors/messages.ts';
import { serveDoor } from '../doors/serve.ts';
import { OVERLOADED } from '../errors.ts';
import { CountTokensRequest, Message, MessageEvent, MessagesRequest, ref, runHeaders, TokenCount } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

const message = {
  id: `msg_${run_id}`,
  type: 'message',
  role: 'assistant',
  model: sample,
  content: [{ type: 'text', text: ANSWER, citations: null }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 120, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 40 },
  ...RECEIPTS,
};

export function messagesEndpoints(app: Server, parts: CountingParts): void {
  app.post(
    '/v1/messages',
    {
      attachValidation: true,
      config: {
        ...ASKS_MODEL,
        keepsDigits: true,
        takesApiKey: true,
        errors: [...ASKS_MODEL.errors, ...STOPS, { code: 'SVC-PROV-008', status: OVERLOADED }],
        example: {
          request: { model: sample, max_tokens: 1024, messages: SENT },
          response: { ...json(message), 'text/event-stream': { type: 'message_stop' } },
        },
      },
      schema: {
        operationId: 'createMessage',
        tags: ['chat'],
        summary: 'Call a model through a route with the Messages API',
        description:
          'A blocked, paused or denied request is not an HTTP error, unless the route has `stops: error`: its message has `svc_event` and a text that gives the reason. The key may also be sent as `x-api-key`.',
        headers: runHeaders,
        body: ref(MessagesRequest),
        response: {
          200: {
            description: 'The message, or its events with `stream`.',
            content: {
              'application/json': { schema: ref(Message) },
              'text/event-stream': { schema: ref(MessageEvent) },
            },
          },
        },
      },
    },
    serveDoor<Asked>(parts, readMessages),
  );

  app.post(
    '/v1/messages/count_tokens',
    {
      attachValidation: true,
      config: {
        roles: ['call'],
        metered: true,
        keepsDigits: true,
        takesApiKey: true,
        errors: [...LIMITS, 'SVC-ROUTE-001', 'SVC-BUSY-001', 'SVC-OPS-001'],
        example: { request: { model: sample, messages: SENT }, response: json({ input_tokens: 24 }) },
      },
      schema: {
        operationId: 'countMessageTokens',
        tags: ['chat'],
        summary: 'Count the tokens of a Messages API request',
        description:
          'The gateway counts the tokens itself. Nothing is sent to a model, and no run is created. `limits` apply: the tokens count as input tokens.',
        body: ref(CountTokensRequest),
        response: { 200: ref(TokenCount) },
      },
    },
    async (request, reply) => {
      const route = askedRoute(request, parts.active);
      const { request: asked } = readMessages(request.body as Asked, request.headers, route.runtime);
      return { input_tokens: await countTokens(MESSAGES.bridge.requestToChat(asked).body, route, parts, reply) };
    },
  );
}
