import { SvcError } from '@svc/contracts';
import type { Gateway } from '@svc/runtime';
import { Type } from 'typebox';
import type { PriceOrigin } from '../../prices/price-book.ts';
import { AtOnce } from '../at-once.ts';
import { requireRole } from '../auth.ts';
import { clientGone } from '../client-gone.ts';
import { created_at, json } from '../description/samples.ts';
import { hasRole, isForRoute } from '../key-ring.ts';
import { until } from '../list-pages.ts';
import { eg, GROUPS, ref, Usage } from '../schemas.ts';
import { timeBounds } from '../since.ts';
import type { Server } from '../typed-server.ts';
import { addUp, INTERVALS, type Interval, UsageSum } from '../usage-sum.ts';

/** Longest period that can be summed up by hour. */
const MAX_HOURS = 14 * 24;

/** @param priceOrigin the active price catalogue, or null */
export function usageEndpoint(app: Server, { audit }: Pick<Gateway, 'audit'>, priceOrigin: () => PriceOrigin | null): void {
  const turns = new AtOnce(1);
  app.get(
    '/v1/usage',
    {
      config: {
        roles: ['call', 'audit'],
        errors: ['SVC-LIMIT-003', 'SVC-STORE-001'],
        example: {
          response: json({
            since: created_at,
            until: null,
            group_by: 'team',
            prices: { catalogue: '@pydantic/genai-prices', version: '0.1.8' },
            groups: [
              {
                name: 'payments',
                requests: 2,
                blocked: 1,
                runs: 1,
                input_tokens: 120,
                output_tokens: 40,
                usd: 0.0007,
                unpriced_runs: 0,
                partial_runs: 0,
                latency_ms: { p50: 840, p95: 840 },
              },
            ],
          }),
        },
      },
      schema: {
        operationId: 'getUsage',
        tags: ['audit'],
        summary: 'Sum tokens and costs',
        description:
          'Sums of runs, selected by their creation time. With `group_by=model`, a run counts towards the model of its last attempt. Keys with the role `audit` see all runs of their routes; others see those of their own principal. The gateway reads every run, so a principal may run one request at a time.',
        querystring: Type.Object({
          since: Type.Optional(
            Type.String({
              description: 'ISO 8601 lower bound of created_at, inclusive. Default: the beginning of this month in UTC.',
              ...eg(created_at),
            }),
          ),
          until,
          group_by: Type.Optional(
            Type.Enum([...GROUPS], { description: 'What the sums are grouped by. Default: `principal`.', ...eg('team') }),
          ),
          interval: Type.Optional(
            Type.Enum(Object.keys(INTERVALS) as Interval[], {
              description: `Also returns sums by hour or day. By hour, the period is at most ${MAX_HOURS / 24} days.`,
              ...eg('day'),
            }),
          ),
        }),
        response: { 200: ref(Usage) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      const { since: from = monthOf(Date.now()), group_by = 'principal', interval = null, ...others } = request.query;
      const { since = from, until: end } = timeBounds({ since: from, ...others });
      if (interval === 'hour') assertFewHours(since, end);
      const { principal_id } = caller;
      const query = {
        since,
        ...(end === undefined ? {} : { until: end }),
        ...(hasRole(caller, 'audit') ? {} : { principal: principal_id }),
      };
      const sum = new UsageSum(group_by, (route) => isForRoute(caller, route), interval);
      await turns.run(principal_id, () => addUp(audit.store, query, sum, clientGone(reply)));
      return { since, until: end ?? null, group_by, prices: priceOrigin(), groups: sum.groups() };
    },
  );
}

/** @throws {SvcError} SVC-REQ-001 */
function assertFewHours(since: string, until: string | undefined): void {
  const end = until === undefined ? Date.now() : Date.parse(until);
  if (end - Date.parse(since) > MAX_HOURS * 3_600_000)
    throw new SvcError('SVC-REQ-001', `querystring/interval: by hour, the period must be at most ${MAX_HOURS / 24} days long`);
}

/** The first day of the month in UTC. */
function monthOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}
