import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { CliError } from '../errors/cli-error.ts';
import { Delegation } from '../http/schemas.ts';
import { printable } from '../terminal/terminal.ts';
import { readArguments, unknownCommand } from './arguments.ts';
import { askServer, type Hints, notOurs, SERVER_OPTION, withReason } from './ask-server.ts';

const COMMON = { server: SERVER_OPTION, json: { type: 'boolean', default: false } } as const;
const PATH = '/v1/approvals/delegations';
const HINTS: Hints = { refused: 'SVC_KEY must be an API key with the role approve', away: 'is the server running?' };
/** As `DelegationList`, without its reference to a named schema. */
const ListAnswer = Type.Object({ delegations: Type.Array(Delegation) });

/** `svc approvals delegate|delegations|end`. */
export async function approvals([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'delegate':
      return delegate(args);
    case 'delegations':
      return list(args);
    case 'end':
      return end(args);
    default:
      throw unknownCommand('approvals', command, [
        'svc approvals delegate PRINCIPAL',
        'svc approvals delegations',
        'svc approvals end ID',
      ]);
  }
}

/** `svc approvals delegate PRINCIPAL (--for 14d | --until TIME) --reason R [--server URL] [--json]` */
async function delegate(args: string[]): Promise<void> {
  const own = { for: { type: 'string' }, until: { type: 'string' }, reason: { type: 'string' } } as const;
  const { positionals, values } = readArguments(args, { ...COMMON, ...own }, ['PRINCIPAL']);
  const { server, json, for: period, until, reason } = values;
  if (reason === undefined) throw new CliError('missing --reason', 2);
  const body = { to: positionals[0], for: period, until, reason };
  print(await askServer(server, { method: 'POST', path: PATH, body }, HINTS), server, json);
}

/** `svc approvals delegations [--server URL] [--json]` */
async function list(args: string[]): Promise<void> {
  const { server, json } = readArguments(args, COMMON).values;
  const answer = await askServer(server, { method: 'GET', path: PATH }, HINTS);
  if (!Value.Check(ListAnswer, answer)) throw notOurs(server);
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : answer.delegations.map((each) => `${lineOf(each)}\n`).join(''));
}

/** `svc approvals end ID [--reason R] [--server URL] [--json]` */
async function end(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(args, { ...COMMON, reason: { type: 'string' } }, ['ID']);
  const { server, json, reason } = values;
  const path = withReason(`${PATH}/${encodeURIComponent(positionals[0] ?? '')}`, reason);
  print(await askServer(server, { method: 'DELETE', path }, HINTS), server, json);
}

function print(answer: unknown, server: string, json: boolean): void {
  if (!Value.Check(Delegation, answer)) throw notOurs(server);
  process.stdout.write(`${json ? JSON.stringify(answer) : lineOf(answer)}\n`);
}

function lineOf({ id, from, to, routes, since, until, reason }: Delegation): string {
  const where = routes === null ? '' : ` on ${routes.join(', ')}`;
  return printable(
    `${id}: ${to} decides for ${from}${where} from ${since} until ${until}${reason === null ? '' : ` (${reason})`}`,
  );
}
