import { CliError } from '../errors/cli-error.ts';
import type { Report } from '../report/report.ts';
import { reportPage } from '../report/report-page.ts';
import { SERVER_OPTION } from '../served/ask-server.ts';
import { asCsv, asJson, reportOf } from '../served/report-of-server.ts';
import { readArguments } from './arguments.ts';
import { reportLines } from './report-lines.ts';

type Writer = (report: Report) => string | Promise<string>;
const asText: Writer = (report) => `${reportLines(report).join('\n')}\n`;
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
