import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { printable } from '../terminal/terminal.ts';
import { eventLine } from '../trail/step.ts';
import { readArguments } from './arguments.ts';
import { answerOf, notOurs, refusal, SERVER_OPTION } from './ask-server.ts';
import { messageLines } from './message-lines.ts';
import { READ_HINTS, runPath, ServedRun, statusText } from './runs-of-server.ts';

const Pending = Type.Object({
  node: Type.String(),
  code: Type.String(),
  messages: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  answer: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  digest: Type.String(),
  expires_at: Type.String(),
});

/** `svc runs show RUN_ID [--server URL] [--json]`. With `--json`, `pending` is null unless the key may decide on the run. */
export async function showRun(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(args, { server: SERVER_OPTION, json: { type: 'boolean', default: false } }, [
    'RUN_ID',
  ]);
  const { server, json } = values;
  const { run } = await readRun(server, positionals[0] ?? '');
  const pending = run.status === 'paused' ? await pendingOf(server, run.run_id) : null;
  process.stdout.write(
    json ? `${JSON.stringify({ ...run, pending })}\n` : `${[...runLines(run), ...pendingLines(pending)].join('\n')}\n`,
  );
}

/** The run, and the position of its record (`seq hash`). Null: the run has no record yet, or the key may not see it. */
export async function readRun(server: string, run_id: string): Promise<{ run: ServedRun; evidence: string | null }> {
  const answer = await answerOf(server, { method: 'GET', path: runPath(run_id) }, READ_HINTS);
  if (!answer.ok) throw refusal(server, answer, READ_HINTS);
  if (!Value.Check(ServedRun, answer.body)) throw notOurs(server);
  return { run: answer.body, evidence: answer.headers.get('x-svc-evidence') };
}

export function runLines(run: ServedRun): string[] {
  const { run_id, status, route, principal_id, session, client, approvers, may_decide = [], events } = run;
  const hidden = principal_id === '';
  return [
    `run ${printable(run_id)}: ${statusText(status)}`,
    `route ${printable(route)}, requested by ${hidden ? 'a principal that this key may not see' : printable(principal_id)}`,
    ...(session === undefined
      ? []
      : [`session ${printable(session)}${client === undefined ? '' : `, client ${printable(client)}`}`]),
    ...(approvers.length === 0 ? [] : [`approvers: ${printable(approvers.join(', '))}`]),
    ...may_decide.flatMap(laterApprover),
    ...events.map((event) => `- ${printable(eventLine(event))}`),
  ];
}

/** A line for an approver of an escalation, or a delegate; none for one who could decide as soon as the run paused. */
function laterApprover({ approver, from, until, on_behalf_of }: NonNullable<ServedRun['may_decide']>[number]): string[] {
  if (from === null) return [];
  const facts = `${on_behalf_of === null ? '' : ` for ${on_behalf_of}`} from ${from}${until === null ? '' : ` until ${until}`}`;
  return [printable(`may also decide: ${approver}${facts}`)];
}

/** Null: this key may not decide on the run, or it was decided in the meantime. */
async function pendingOf(server: string, run_id: string): Promise<Static<typeof Pending> | null> {
  const answer = await answerOf(server, { method: 'GET', path: `${runPath(run_id)}/pending` }, READ_HINTS);
  if ([403, 409].includes(answer.status)) return null;
  if (!answer.ok) throw refusal(server, answer, READ_HINTS);
  if (!Value.Check(Pending, answer.body)) throw notOurs(server);
  return answer.body;
}

function pendingLines(pending: Static<typeof Pending> | null): string[] {
  if (pending === null) return [];
  const { node, code, messages, answer, digest, expires_at } = pending;
  return [
    `waiting for approval: guard ${printable(node)}, rule ${printable(code)}, until ${printable(expires_at)}`,
    ...messageLines(messages),
    ...(answer === null ? [] : [`  answer: ${printable(JSON.stringify(answer))}`]),
    `digest ${printable(digest)}`,
  ];
}
