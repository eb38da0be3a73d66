import { CliError } from '../errors/cli-error.ts';
import { pagesOf, SERVER_OPTION } from '../served/ask-server.ts';
import { LIST_HINTS, lineOf, listPath, runsIn, type ServedRunInList } from '../served/runs-of-server.ts';
import { readArguments } from './arguments.ts';

const MAX_LISTED = 1000;

/**
 * `svc runs list [--status S] [--principal P] [--route R] [--session S] [--verdict V] [--code TEXT] [--since TIME] [--until TIME] [--limit N] [--server URL]
 * [--json]`
 */
export async function listRuns(args: string[]): Promise<void> {
  const { server, json, ...filters } = readArguments(args, {
    server: SERVER_OPTION,
    json: { type: 'boolean', default: false },
    status: { type: 'string' },
    principal: { type: 'string' },
    route: { type: 'string' },
    session: { type: 'string' },
    verdict: { type: 'string' },
    code: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    limit: { type: 'string', default: '20' },
  }).values;
  const limit = Number(filters.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED)
    throw new CliError(`--limit must be a number from 1 to ${MAX_LISTED}; svc audit export writes all runs`, 2);
  const found: ServedRunInList[] = [];
  // With an event filter, a page may have fewer runs than the limit although there are more.
  for await (const page of pagesOf(server, listPath(filters), LIST_HINTS)) {
    found.push(...runsIn(page, server));
    if (found.length >= limit) break;
  }
  const runs = found.slice(0, limit);
  process.stdout.write(json ? `${JSON.stringify({ runs })}\n` : runs.map((run) => `${lineOf(run)}\n`).join(''));
}
