import { type LedgerQuery, type LedgerRecordType, RUN_STATUSES, SvcError, VERDICTS } from '@svc/contracts';
import type { Gateway, ListedRun } from '@svc/runtime';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Role } from '../../config/roles.ts';
import { requireRole } from '../auth.ts';
import { EVIDENCE, INVENTORY } from '../description/example-records.ts';
import { created_at, json, principal_id, run, route as sample } from '../description/samples.ts';
import type { WithGroups } from '../groups.ts';
import { sendJson, wholeOrParts } from '../json-list.ts';
import type { Principal } from '../key-ring.ts';
import { ledgerPage } from '../ledger-page.ts';
import { firstOf, linkNext, next, page, refuseCursor, since_seq, until } from '../list-pages.ts';
import { listedRun, seesWhole } from '../run-access.ts';
import { eg, InventoryList, LedgerList, Report, RunList, ref } from '../schemas.ts';
import { timeBounds } from '../since.ts';
import type { Server } from '../typed-server.ts';

const route = Type.Optional(Type.String({ description: 'Returns only entries of this route.', ...eg(sample) }));

export function auditEndpoints(app: Server, { audit, runs }: Pick<Gateway, 'audit' | 'runs'>, withGroups: WithGroups): void {
  app.get(
    '/v1/audit',
    {
      config: {
        ...page.config,
        roles: ['audit', 'approve', 'call'],
        example: { response: json({ runs: [{ ...run, created_at }] }) },
      },
      schema: {
        operationId: 'listRuns',
        tags: ['audit'],
        summary: 'Query runs, newest first',
        description: `All filters are combined with AND. ${next} With \`verdict\` or \`code\`, each request searches at most 10,000 runs, so a page can have fewer runs than \`limit\`, or none, and still have a next page. Requires the role \`audit\`; \`approve\` is enough for \`status=paused\` without these two, and \`call\` for the \`principal\` of the key.`,
        querystring: Type.Object({
          principal: Type.Optional(Type.String({ description: 'Only runs of this principal.', ...eg(principal_id) })),
          route,
          session: Type.Optional(
            Type.String({
              description:
                'Only runs of this session. Different principals can have sessions with the same id; to get only one, add `principal`.',
              ...eg('42bb0d3d'),
            }),
          ),
          since: Type.Optional(Type.String({ description: 'ISO 8601 lower bound of created_at, inclusive.', ...eg(created_at) })),
          until,
          status: Type.Optional(Type.Enum([...RUN_STATUSES], { description: 'Only runs with this status.', ...eg('completed') })),
          verdict: Type.Optional(
            Type.Enum([...VERDICTS], { description: 'Only runs in which a guard had this verdict.', ...eg('sanitize') }),
          ),
          code: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 64,
              description:
                'Only runs with an event whose code contains this text. Case-insensitive. With `verdict`, searches only the codes of that verdict. Without it, searches all codes except those of the verdict `allow`.',
              ...eg('wire'),
            }),
          ),
          ...page.query,
        }),
        response: { 200: ref(RunList) },
      },
    },
    async (request, reply) => {
      const { principal, session, route: asked, status, verdict, code, limit = 1000, cursor } = request.query;
      const isOwn = request.principal?.principal_id === principal;
      const listsPaused = status === 'paused' && verdict === undefined && code === undefined;
      const caller = withGroups(requireRole(request, rolesFor(listsPaused, isOwn)));
      const only = ownRoute(caller, asked);
      const query = {
        limit,
        ...timeBounds(request.query),
        ...given({ principal, session, route: only, verdict, code, cursor }),
        ...(status === undefined ? {} : { status: [status] }),
      };
      const found = await runs.stored.list(query).catch(refuseCursor);
      if (found.next !== null) linkNext(reply, request.url, found.next);
      // A filter must not reveal a principal or session that the list would hide.
      const isShown = ({ row }: ListedRun): boolean =>
        (principal ?? session) === undefined || seesWhole(caller, { row, events: [] }, runs.stored);
      const json = (run: ListedRun): string => listedRun(caller, run, runs.stored);
      return sendJson(reply, await wholeOrParts('runs', () => shown(found.parts(), isShown, json)));
    },
  );

  const ledger = async (
    caller: Principal,
    query: { since_seq?: number; route?: string; limit?: number; cursor?: string },
    type: LedgerRecordType | undefined,
    url: string,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { limit = 1000 } = query;
    const model_id = ownRoute(caller, query.route);
    const read = (asked: LedgerQuery) => audit.store.records(asked);
    const { body, next } = await ledgerPage(read, {
      since_seq: firstOf(query),
      limit,
      ...given({ model_id, record_type: type }),
    });
    if (next !== null) linkNext(reply, url, String(next));
    return sendJson(reply, body);
  };

  app.get(
    '/v1/audit/ledger',
    {
      config: { ...page.config, roles: ['audit'], example: { response: json({ records: [INVENTORY, EVIDENCE] }) } },
      schema: {
        operationId: 'listLedgerRecords',
        tags: ['audit'],
        summary: 'Read the evidence ledger',
        description: `Records with a seq greater than since_seq, byte for byte as written. ${next}`,
        querystring: Type.Object({ since_seq, route, ...page.query }),
        response: { 200: ref(LedgerList) },
      },
    },
    async (request, reply) => ledger(requireRole(request), request.query, undefined, request.url, reply),
  );

  app.get(
    '/v1/audit/inventory',
    {
      config: { ...page.config, roles: ['audit'], example: { response: json({ records: [INVENTORY] }) } },
      schema: {
        operationId: 'listInventory',
        tags: ['audit'],
        summary: 'Read the model_inventory records',
        description: next,
        querystring: Type.Object({ since_seq, route, ...page.query }),
        response: { 200: ref(InventoryList) },
      },
    },
    async (request, reply) => ledger(requireRole(request), request.query, 'model_inventory', request.url, reply),
  );

  app.get(
    '/v1/audit/report',
    {
      config: {
        roles: ['audit'],
        errors: ['SVC-STORE-001'],
        example: {
          response: json({
            generated_at: EVIDENCE.completed_at,
            inventory: [INVENTORY],
            run_stats: { pending: 0, running: 0, paused: 0, completed: 1, blocked: 0, denied: 0, error: 0 },
            chain_length: 2,
          }),
        },
      },
      schema: {
        operationId: 'getReport',
        tags: ['audit'],
        summary: 'Summarize runs and ledger',
        description: 'Requires a key that is not limited to routes, because the summary covers all routes.',
        response: { 200: ref(Report) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      if (caller.routes !== null)
        throw new SvcError(
          'SVC-AUTH-002',
          'this key is limited to some routes, but the report covers all of them; use a key for all routes',
        );
      const { inventory, ...report } = await audit.report();
      return reply.send({ ...report, inventory: [...inventory] });
    },
  );
}

async function* shown(
  parts: AsyncIterable<readonly ListedRun[]>,
  isShown: (run: ListedRun) => boolean,
  json: (run: ListedRun) => string,
): AsyncGenerator<string[]> {
  for await (const part of parts) yield part.filter(isShown).map(json);
}

/** Approvers may list paused runs, and callers their own. */
function rolesFor(listsPaused: boolean, isOwn: boolean): Role[] {
  return ['audit', ...(listsPaused ? (['approve'] as const) : []), ...(isOwn ? (['call'] as const) : [])];
}

/** The routes of a list. A key that is limited to routes must select one of them. @throws {SvcError} SVC-AUTH-002 */
function ownRoute({ routes }: Principal, asked: string | undefined): string | undefined {
  if (routes === null || (asked !== undefined && routes.includes(asked))) return asked;
  throw new SvcError('SVC-AUTH-002', 'this key is limited to some routes; choose one of them with ?route=');
}

/** The fields that are not undefined. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
