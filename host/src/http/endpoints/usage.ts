import { Type } from 'typebox';
import { AtOnce } from '../at-once.ts';
import { requireRole } from '../auth.ts';
import { clientGone } from '../client-gone.ts';
import { hasRole, isForRoute } from '../key-ring.ts';
import { until } from '../list-pages.ts';
import { ErrorBody, GROUPS, ref, Usage } from '../schemas.ts';
import { timeBounds } from '../since.ts';
import type { Server, Surface } from '../surface.ts';
import { addUp, UsageSum } from '../usage-sum.ts';

export function usageEndpoint(app: Server, surface: Surface): void {
  const { gateway } = surface;
  const turns = new AtOnce(1);
  app.get(
    '/v1/usage',
    {
      schema: {
        operationId: 'getUsage',
        tags: ['audit'],
        summary: 'Add up tokens and dollars',
        description:
          'Of runs that have ended, by when they were created. Keys with the role `audit` see all runs of their routes, others those of their own principal. Reads the row of each run, so one request of a principal is served at a time.',
        querystring: Type.Object({
          since: Type.Optional(
            Type.String({
              description: 'ISO 8601 lower bound of created_at, inclusive. Default: the beginning of this month in UTC.',
            }),
          ),
          until,
          group_by: Type.Optional(Type.Enum([...GROUPS], { description: 'What the sums are of. Default: `principal`.' })),
        }),
        response: { 200: ref(Usage), 400: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request, 'call', 'audit');
      const { since: from = monthOf(Date.now()), group_by = 'principal', ...others } = request.query;
      const { since = from, until: end } = timeBounds({ since: from, ...others });
      const { principal_id } = caller;
      const query = {
        since,
        ...(end === undefined ? {} : { until: end }),
        ...(hasRole(caller, 'audit') ? {} : { principal: principal_id }),
      };
      const sum = new UsageSum(group_by, (route) => isForRoute(caller, route));
      await turns.run(principal_id, () => addUp(gateway.audit.store, query, sum, clientGone(reply)));
      return { since, until: end ?? null, group_by, prices: surface.price_origin, groups: sum.groups() };
    },
  );
}

/** Its beginning in UTC. */
function monthOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}
