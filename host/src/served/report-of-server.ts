import { ModelInventory } from '@svc/contracts';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { Report as ReportSchema } from '../http/schemas.ts';
import { PeriodCounts, type PeriodReport, reviewsOf } from '../report/period-counts.ts';
import type { Period, Report } from '../report/report.ts';
import { AUDIT_HINTS, askServer, notOurs, pagesOf } from './ask-server.ts';
import { reportCsv } from './report-csv.ts';
import { listPath, runsIn } from './runs-of-server.ts';

/** As `Report`, but without its reference to a named schema. */
const ServedReport = Type.Object({ ...ReportSchema.properties, inventory: Type.Array(ModelInventory) });
/** Limits the memory, because one page is held at a time. */
const PAGE = 200;

export const asJson = (report: Report): string => `${JSON.stringify(report)}\n`;
export const asCsv = ({ period, reviews }: Report): string =>
  reportCsv(period ?? { routes: [], guards: [], approvers: [] }, reviews);

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
