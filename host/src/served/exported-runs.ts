import { AUDIT_HINTS, pagesOf } from './ask-server.ts';
import { listPath, runsIn, type ServedRunInList } from './runs-of-server.ts';

/** Limits the memory, because one page is held at a time. */
const PAGE = 200;

/** The text of a file of runs. */
export interface Format {
  readonly header: string;
  readonly line: (run: ServedRunInList) => string;
}

export const JSON_LINES: Format = { header: '', line: (run) => `${JSON.stringify(run)}\n` };

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
