import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { printable } from '../terminal/terminal.ts';
import { eventLine } from '../trail/step.ts';
import { readArguments } from './arguments.ts';
import { askServer, notOurs, SERVER_OPTION } from './ask-server.ts';
import { APPROVE_HINTS, runPath, ServedRun, statusText } from './runs-of-server.ts';

const { run_id, status, events } = ServedRun.properties;
const Decided = Type.Object({ run_id, status, events });

/** `svc runs approve|deny RUN_ID [--digest D] [--reason R] [--server URL] [--json]` */
export async function decideRun(decision: 'approved' | 'denied', args: string[]): Promise<void> {
  const { positionals, values } = readArguments(
    args,
    {
      server: SERVER_OPTION,
      json: { type: 'boolean', default: false },
      digest: { type: 'string' },
      reason: { type: 'string' },
    },
    ['RUN_ID'],
  );
  const { server, json, digest, reason } = values;
  const path = `${runPath(positionals[0] ?? '')}/resume`;
  const answer = await askServer(server, { method: 'POST', path, body: { decision, digest, reason } }, APPROVE_HINTS);
  if (!Value.Check(Decided, answer)) throw notOurs(server);
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : wordsOf(answer));
}

function wordsOf({ run_id, status, events }: Static<typeof Decided>): string {
  const made = events.findLast(({ event_type }) => event_type === 'decision');
  return `${printable(run_id)}: ${statusText(status)}${made === undefined ? '' : ` (${printable(eventLine(made))})`}\n`;
}
