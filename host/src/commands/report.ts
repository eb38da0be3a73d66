import { ModelInventory } from '@svc/contracts';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { CliError } from '../errors/cli-error.ts';
import { Report as ReportSchema } from '../http/schemas.ts';
import { PeriodCounts, type PeriodReport, reviewsOf } from '../report/period-counts.ts';
import type { Period, Report } from '../report/report.ts';
import { reportPage } from '../report/report-page.ts';
import { readArguments } from './arguments.ts';
import { askServer, notOurs, pagesOf, SERVER_OPTION } from './ask-server.ts';
import { reportCsv } from './report-csv.ts';
import { reportLines } from './report-lines.ts';
import { AUDIT_HINTS, listPath, runsIn } from './runs-of-server.ts';

/** As `Report`, but without its reference to a named schema. */
const ServedReport = Type.Object({ ...ReportSchema.properties, inventory: Type.Array(ModelInventory) });
/** Limits the memory, because one page is held at a time. */
const PAGE = 200;

type Writer = (report: Report) => string | Promise<string>;
const asText: Writer = (report) => `${reportLines(report).join('\n')}\n`;
export const asJson = (report: Report): string => `${JSON.stringify(report)}\n`;
export const asCsv = ({ period, reviews }: Report): string =>
  reportCsv(period ?? { routes: [], guards: [], approvers: [] }, reviews);
const FORMATS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ['csv', asCsv],
  ['html', reportPage],
]);

/** `svc report [--from TIME] [--to TIME] [--route R] [--format csv|html] [--server URL] [--json]` */
export async function report(args: string[]): Promise<void> {
  const { server, json, format, from, to, route } = readArguments(args, {
    server: SERVER_OPTION,
    json: { type: 'boolean', default: false },
    format: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    route: { type: 'string' },
  }).values;
  if (format !== undefined && json) throw new CliError('use either --format or --json', 2);
  const write = format === undefined ? (json ? asJson : asText) : FORMATS.get(format);
  if (write === undefined) throw new CliError(`--format ${format} is unknown: use csv or html`, 2);
  const period = { from: from ?? null, to: to ?? null, route: route ?? null };
  const counts = [from, to, route, format].some((given) => given !== undefined);
  process.stdout.write(await write(await reportOf(server, counts ? period : null)));
}

/** @param period null: no runs are counted. @throws {CliError} */
export async function reportOf(server: string, period: Period | null): Promise<Report> {
  const now = await askServer(server, { method: 'GET', path: '/v1/audit/report' }, AUDIT_HINTS);
  if (!Value.Check(ServedReport, now)) throw notOurs(server);
  const counts = period === null ? null : { ...period, ...(await countsOf(server, period)) };
  return { ...now, reviews: reviewsOf(now.inventory, now.generated_at), period: counts };
}

async function countsOf(server: string, { from, to, route }: Period): Promise<PeriodReport> {
  const counts = new PeriodCounts();
  const first = listPath({ since: from ?? undefined, until: to ?? undefined, route: route ?? undefined, limit: String(PAGE) });
  for await (const page of pagesOf(server, first, AUDIT_HINTS)) for (const run of runsIn(page, server)) counts.add(run);
  return counts.result();
}
