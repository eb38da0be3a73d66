import type { Gateway, RunView } from '@svc/runtime';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { requireRole, requireRoute } from '../auth.ts';
import { run_id } from '../description/samples.ts';
import type { Routes } from '../find-route.ts';
import type { WithGroups } from '../groups.ts';
import type { Principal } from '../key-ring.ts';
import { noteRoute } from '../request-log.ts';
import { eg } from '../schemas.ts';

export const runParams = Type.Object({ run_id: Type.String({ description: 'Identifier of the run.', ...eg(run_id) }) });

/** The caller of a request about a run: `principal` as it was authenticated, and `caller` with its groups. 404 comes before 403, and both before errors about the status of the run. @throws {SvcError} */
export async function callerOf(
  request: FastifyRequest,
  run_id: string,
  {
    active,
    gateway,
    withGroups,
  }: { readonly active: Routes; readonly gateway: Pick<Gateway, 'runs'>; readonly withGroups: WithGroups },
): Promise<{ readonly principal: Principal; readonly caller: ReturnType<WithGroups>; readonly view: RunView }> {
  const view = await gateway.runs.stored.read(run_id);
  const { row } = view;
  noteRoute(request, active.routes.get(row.route));
  const principal = requireRole(request);
  requireRoute(principal, row.route);
  return { principal, caller: withGroups(principal), view };
}
