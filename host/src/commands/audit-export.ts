import { once } from 'node:events';
import { CliError } from '../errors/cli-error.ts';
import { SERVER_OPTION } from '../served/ask-server.ts';
import { csvHeader, csvOf } from '../served/audit-csv.ts';
import { exportedRuns, type Format, JSON_LINES } from '../served/exported-runs.ts';
import { readArguments, unknownCommand } from './arguments.ts';

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
