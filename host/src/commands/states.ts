import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { State } from '../http/schemas.ts';
import { printable } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { ADMIN_HINTS, askServer, notOurs, SERVER_OPTION } from './ask-server.ts';

const OPTIONS = {
  server: SERVER_OPTION,
  reason: { type: 'string' },
  for: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;
/** As `StateList`, but without its reference to a named schema. */
const ListAnswer = Type.Object({ states: Type.Array(State) });
const PLACES = ['KIND', 'NAME'];
const PATH = '/v1/operations/states';

/**
 * `svc stop KIND NAME [--state S] [--for 30m] [--reason R] [--server URL] [--json]`: stops or restricts a target on all
 * gateways that share a store.
 */
export async function stop(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args, { ...OPTIONS, state: { type: 'string', default: 'disabled' } }, PLACES);
  await setState(positionals, values.state, values);
}

/** `svc allow KIND NAME [--for 30m] [--reason R] [--server URL] [--json]`: enables a target again. */
export async function allow(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS, PLACES);
  await setState(positionals, 'enabled', values);
}

/** `svc states [--server URL] [--json]`: lists everything that is stopped or restricted. */
export async function states(args: string[]): Promise<void> {
  const { values } = readArguments(args, { server: OPTIONS.server, json: OPTIONS.json });
  const answer = await askServer(values.server, { method: 'GET', path: PATH }, ADMIN_HINTS);
  if (!Value.Check(ListAnswer, answer)) throw notOurs(values.server);
  if (values.json) return say(JSON.stringify(answer));
  const lines = answer.states.map(wordsOf);
  say(lines.length === 0 ? 'everything is enabled' : lines.join('\n'));
}

interface Wishes {
  readonly server: string;
  readonly reason?: string | undefined;
  readonly for?: string | undefined;
  readonly json: boolean;
}

async function setState(
  [kind = '', name = '']: readonly string[],
  state: string,
  { server, reason, for: period, json }: Wishes,
): Promise<void> {
  const path = `${PATH}/${encodeURIComponent(kind)}/${encodeURIComponent(name)}`;
  const body = { state, reason, for: period };
  const answer = await askServer(server, { method: 'PUT', path, body }, ADMIN_HINTS);
  if (!Value.Check(State, answer)) throw notOurs(server);
  say(json ? JSON.stringify(answer) : wordsOf(answer));
}

function wordsOf({ kind, name, state, since, by, reason, until, next_state, proposed }: State): string {
  const said = `${kind} ${name}: ${state}${since === null ? '' : ` since ${since} by ${by}`}${until === null ? '' : ` until ${until}, then ${next_state}`}${reason === null ? '' : ` (${reason})`}`;
  const wanted =
    proposed === null
      ? ''
      : `; ${proposed.by} proposes ${proposed.state}${proposed.for === null ? '' : ` for ${proposed.for}`}: another operator must make the same request to confirm it`;
  return printable(`${said}${wanted}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
