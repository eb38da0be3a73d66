import { AtOnce } from '../at-once.ts';
import { requireRole } from '../auth.ts';
import { created_at, run } from '../description/samples.ts';
import { RunStream, type RunStreamEnv } from '../run-events/run-stream.ts';
import type { RunStreams } from '../run-events/run-streams.ts';
import { RunChange, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

/** Streams of one principal in one process. */
const STREAMS_AT_ONCE = 32;

export function runEventsEndpoint(app: Server, env: RunStreamEnv & { readonly streams: RunStreams }): void {
  const open = new AtOnce(STREAMS_AT_ONCE);
  app.get(
    '/v1/runs/events',
    {
      config: {
        roles: ['audit', 'approve'],
        errors: ['SVC-LIMIT-003', 'SVC-STORE-001'],
        example: {
          response: { 'text/event-stream': { change: 'waiting', run: { ...run, status: 'paused', created_at } } },
        },
      },
      schema: {
        operationId: 'streamRunChanges',
        tags: ['runs'],
        summary: 'Stream changes of paused runs',
        description:
          'Sends server-sent events for the runs that `GET /v1/audit?status=paused` lists. Earlier changes are not sent, so read that list when the response begins. If the connection ends, reconnect and read the list again. A run that is paused and decided within a second may not be reported, so also read the list from time to time. Comment lines keep an idle connection alive.',
        response: {
          200: {
            description: 'Changes made through any gateway that shares the store, about a second after they are made.',
            content: { 'text/event-stream': { schema: ref(RunChange) } },
          },
        },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request);
      await open.run(principal.principal_id, () => env.streams.serve(new RunStream(reply, principal, env)));
      return reply;
    },
  );
}
