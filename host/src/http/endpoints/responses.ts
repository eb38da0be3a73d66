import { type ResponsesRequest as Asked, readResponses } from '../doors/responses.ts';
import { serveDoor } from '../doors/serve.ts';
import { ErrorBody, keepHeader, ModelResponse, ResponsesEvent, ResponsesRequest, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

export function responsesEndpoint(app: Server, surface: Surface): void {
  const serve = serveDoor<Asked>(surface, (body, _headers, { vendor_tools, egress }) =>
    readResponses(body, {
      keeps: surface.record_content,
      vendor_tools,
      mayStop: egress.some(({ mode }) => mode === 'enforce'),
    }),
  );
  app.post(
    '/v1/responses',
    {
      attachValidation: true,
      config: { metered: true, keepsDigits: true },
      schema: {
        operationId: 'createResponse',
        tags: ['chat'],
        summary: 'Ask a model through a route, in the words of the Responses API',
        description:
          'A blocked, paused or denied request is not an HTTP error, unless the route has `stops: error`: its response is `completed` with a text that says why, and `svc_event`. With `server.record_content`, a later request may continue the response.',
        headers: keepHeader,
        body: ref(ResponsesRequest),
        response: {
          200: {
            description: 'The response, or its events with `stream`.',
            content: {
              'application/json': { schema: ref(ModelResponse) },
              'text/event-stream': { schema: ref(ResponsesEvent) },
            },
          },
          400: ref(ErrorBody),
          404: ref(ErrorBody),
        },
      },
    },
    serve,
  );
}
