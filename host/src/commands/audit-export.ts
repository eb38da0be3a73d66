import { once } from 'node:events';
import { CliError } from '../errors/cli-error.ts';
import { readArguments, unknownCommand } from './arguments.ts';
import { pagesOf, SERVER_OPTION } from './ask-server.ts';
import { csvHeader, csvOf } from './audit-csv.ts';
import { AUDIT_HINTS, listPath, runsIn, type ServedRunInList } from './runs-of-server.ts';

/** Limits the memory, because one page is held at a time. */
const PAGE = 200;
const FORMATS: Readonly<Record<string, { readonly header: string; readonly line: (run: ServedRunInList) => string }>> = {
  jsonl: { header: '', line: (run) => `${JSON.stringify(run)}\n` },
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
  const first = listPath({ since: from, until: to, route, limit: String(PAGE) });
  let header = written.header;
  for await (const page of pagesOf(server, first, AUDIT_HINTS)) {
    const lines = runsIn(page, server).map(written.line).join('');
    if (!process.stdout.write(header + lines)) await once(process.stdout, 'drain');
    header = '';
  }
}
