import { once } from 'node:events';
import { CliError } from '../errors/cli-error.ts';
import { readArguments, unknownCommand } from './arguments.ts';
import { pagesOf, SERVER_OPTION } from './ask-server.ts';
import { csvHeader, csvOf } from './audit-csv.ts';
import { AUDIT_HINTS, listPath, runsIn, type ServedRunInList } from './runs-of-server.ts';

/** Limits the memory, because one page is held at a time. */
const PAGE = 200;
const JSON_LINES: Format = { header: '', line: (run) => `${JSON.stringify(run)}\n` };
const FORMATS: Readonly<Record<string, Format>> = {
  jsonl: JSON_LINES,
  csv: { header: csvHeader, line: csvOf },
};

/** `svc audit export [--from TIME] [--to TIME] [--format jsonl|csv] [--route R] [--server URL]` */
export async function audit([command, ...args]: string[]): Promise<void> {
  if (command !== 'export') throw unknownCommand('audit', command, ['svc audit export']);
  const { server, from, to, route, format } = readArguments(args, {
    server: SERVER_OPTION,
    from: { type: 'string' },
    to: { type: 'string' },
    route: { type: 'string' },
    format: { type: 'string', default: 'jsonl' },
  }).values;
  const written = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (written === undefined) throw new CliError(`--format ${format} is unknown: use jsonl or csv`, 2);
  for await (const text of exportedRuns(server, { since: from, until: to, route }, written))
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

interface Format {
  readonly header: string;
  readonly line: (run: ServedRunInList) => string;
}

/** Runs, newest first, as the text of a file in parts. @param filters of the list of runs */
export async function* exportedRuns(
  server: string,
  filters: Readonly<Record<string, string | undefined>>,
  { header, line }: Format = JSON_LINES,
): AsyncGenerator<string> {
  let before = header;
  for await (const page of pagesOf(server, listPath({ ...filters, limit: String(PAGE) }), AUDIT_HINTS)) {
    yield before + runsIn(page, server).map(line).join('');
    before = '';
  }
}
