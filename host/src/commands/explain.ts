import { CliError } from '../errors/cli-error.ts';
import { AUDIT_HINTS, answerOf, askServer, pagesOf, SERVER_OPTION } from '../served/ask-server.ts';
import { listPath, READ_HINTS, runPath, runsIn, type ServedRun } from '../served/runs-of-server.ts';
import { printable } from '../terminal/terminal.ts';
import { costOfRun, costText, type RunCost } from '../trail/cost.ts';
import { type Evidence, evidenceOfRun } from '../trail/evidence.ts';
import { list, members } from '../trail/values.ts';
import { readArguments } from './arguments.ts';
import { evidenceLine, evidenceReader } from './explain-evidence.ts';
import { readKeys } from './ledger-keys.ts';
import { messageLines } from './message-lines.ts';
import { readRun, runLines } from './runs-show.ts';

/** What the server stores about a run. Null: nothing, and `why` has the reason. */
interface Stored {
  readonly sent: Record<string, unknown> | null;
  readonly why: string;
  /** The decisions with their reasons. Also empty if this key may not read them. */
  readonly decisions: readonly Record<string, unknown>[];
}

/**
 * `svc explain (RUN_ID | --last | --session S) [--key VKEY].. [--server URL] [--json]`: exit code 1 if the record of a run is not proven. With
 * `--json`, prints one line for each run.
 */
export async function explain(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(
    args,
    {
      server: SERVER_OPTION,
      json: { type: 'boolean', default: false },
      last: { type: 'boolean', default: false },
      session: { type: 'string' },
      key: { type: 'string', multiple: true, default: [] },
    },
    [],
    ['RUN_ID'],
  );
  const { server, json, last, session } = values;
  const keys = values.key;
  readKeys(keys);
  if (positionals.length + Number(last) + Number(session !== undefined) !== 1)
    throw new CliError('use exactly one of RUN_ID, --last and --session; see svc explain --help', 2);
  const run_ids = session !== undefined ? await runsOfSession(server, session) : last ? [await newestRun(server)] : positionals;
  for (const [index, run_id] of run_ids.entries()) {
    if (index > 0 && !json) process.stdout.write('\n');
    await explainRun(server, run_id, keys, json);
  }
}

async function explainRun(server: string, run_id: string, keys: readonly string[], json: boolean): Promise<void> {
  const { run, evidence: place } = await readRun(server, run_id);
  const evidence = await evidenceOfRun(evidenceReader(server), run, place, keys);
  const stored = await storedOf(server, run.run_id);
  const cost = costOfRun(run.events);
  process.stdout.write(
    json ? `${JSON.stringify({ run, ...stored, cost, evidence })}\n` : `${wordsOf(run, stored, cost, evidence).join('\n')}\n`,
  );
  if (evidence.verdict === 'broken' || (keys.length > 0 && evidence.verdict !== 'anchored')) process.exitCode = 1;
}

async function newestRun(server: string): Promise<string> {
  const page = await askServer(server, { method: 'GET', path: listPath({ limit: '1' }) }, AUDIT_HINTS);
  const [newest] = runsIn(page, server);
  if (newest === undefined) throw new CliError(`${server} has no runs`);
  return newest.run_id;
}

/** The runs of a session, oldest first. */
async function runsOfSession(server: string, session: string): Promise<string[]> {
  const run_ids: string[] = [];
  for await (const page of pagesOf(server, listPath({ session }), AUDIT_HINTS))
    run_ids.push(...runsIn(page, server).map(({ run_id }) => run_id));
  if (run_ids.length === 0) throw new CliError(`${server} has no run of session ${session}`);
  return run_ids.reverse();
}

async function storedOf(server: string, run_id: string): Promise<Stored> {
  const read = (what: string) => answerOf(server, { method: 'GET', path: `${runPath(run_id)}/${what}` }, READ_HINTS);
  const request = await read('request');
  const { decisions } = members((await read('decisions')).body);
  const { messages, detail } = members(request.body);
  const sent = request.ok && Array.isArray(messages) ? members(request.body) : null;
  const why = request.ok ? 'no request is stored' : String(detail ?? `status ${request.status}`);
  return { sent, why: sent === null ? why : '', decisions: list(decisions) };
}

function wordsOf(run: ServedRun, { sent, why, decisions }: Stored, cost: RunCost, evidence: Evidence): string[] {
  const messages = list(sent?.messages);
  return [
    ...runLines(run),
    ...decisions.flatMap(({ principal_id, reason }) =>
      typeof reason === 'string' ? [`reason of ${printable(String(principal_id))}: ${printable(reason)}`] : [],
    ),
    ...(sent === null ? [`sent to the model: not shown: ${printable(why)}`] : ['sent to the model:', ...messageLines(messages)]),
    costLine(cost),
    evidenceLine(evidence),
  ];
}

function costLine(cost: RunCost): string {
  const { calls, input_tokens, output_tokens } = cost;
  return `cost: ${costText(cost)}${calls === 0 ? '' : `; ${input_tokens} tokens in, ${output_tokens} out`}`;
}
