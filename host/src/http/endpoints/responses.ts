import { ASKS_MODEL, STOPS } from '../description/answers.ts';
import { json, PROMPT, route } from '../description/samples.ts';
import { type ResponsesRequest as Asked, readResponses } from '../doors/responses.ts';
import { type DoorParts, serveDoor } from '../doors/serve.ts';
import { ModelResponse, ResponsesEvent, ResponsesRequest, ref, runHeaders } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import { sampleResponse } from './stored-responses.ts';

/** @param keeps whether content is stored, so that a later request may continue a response */
export function responsesEndpoint(app: Server, parts: DoorParts, keeps: boolean): void {
  const serve = serveDoor<Asked>(parts, (body, _headers, { vendor_tools, egress }) =>
    readResponses(body, {
      keeps,
      vendor_tools,
      mayStop: egress.some(({ mode }) => mode === 'enforce'),
    }),
  );
  app.post(
    '/v1/responses',
    {
      attachValidation: true,
      config: {
        ...ASKS_MODEL,
        keepsDigits: true,
        errors: [...ASKS_MODEL.errors, ...STOPS, 'SVC-RUN-001', 'SVC-RUN-005'],
        example: {
          request: { model: route, instructions: 'Be brief.', input: PROMPT },
          response: {
            ...json(sampleResponse),
            'text/event-stream': { type: 'response.completed', sequence_number: 9, response: sampleResponse },
          },
        },
      },
      schema: {
        operationId: 'createResponse',
        tags: ['chat'],
        summary: 'Call a model through a route with the Responses API',
        description:
          'A blocked, paused or denied request is not an HTTP error, unless the route has `stops: error`: its response is `completed`, with `svc_event` and a text that gives the reason. With `server.record_content`, a later request may continue the response.',
        headers: runHeaders,
        body: ref(ResponsesRequest),
        response: {
          200: {
            description: 'The response, or its events with `stream`.',
            content: {
              'application/json': { schema: ref(ModelResponse) },
              'text/event-stream': { schema: ref(ResponsesEvent) },
            },
          },
        },
      },
    },
    serve,
  );
}
