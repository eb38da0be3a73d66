import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { CliError } from '../errors/cli-error.ts';
import { CreatedKey, Key, KeyList } from '../http/schemas.ts';
import { printable } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { ADMIN_HINTS, askServer, notOurs, pagesOf, SERVER_OPTION, withReason } from './ask-server.ts';

const COMMON = {
  server: SERVER_OPTION,
  json: { type: 'boolean', default: false },
} as const;
const REASON = { reason: { type: 'string' } } as const;

/** `svc keys create PRINCIPAL [--server URL] --role R.. [--route R].. [--namespace N].. [--team T] [--expires-at TIME] [--reason TEXT] [--json]` */
export async function createKey(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(
    args,
    {
      ...COMMON,
      ...REASON,
      role: { type: 'string', multiple: true, default: [] },
      route: { type: 'string', multiple: true },
      namespace: { type: 'string', multiple: true },
      team: { type: 'string' },
      'expires-at': { type: 'string' },
    },
    ['PRINCIPAL'],
  );
  const { server, json, role: roles, route: routes, namespace: namespaces, team, 'expires-at': expires_at, reason } = values;
  if (roles.length === 0) throw new CliError('missing --role: use call, approve, audit, rag or admin', 2);
  const rag = namespaces === undefined ? undefined : { namespaces };
  const body = { principal_id: positionals[0], roles, routes, rag, team, expires_at, reason };
  print(await ask(isCreated, server, { method: 'POST', path: '/v1/keys', body }), json);
}

/** `svc keys list [--server URL] [--json]` */
export async function listKeys(args: string[]): Promise<void> {
  const { server, json } = readArguments(args, COMMON).values;
  const keys: Static<typeof Key>[] = [];
  for await (const page of pagesOf(server, '/v1/keys', ADMIN_HINTS)) {
    if (!isList(page)) throw notOurs(server);
    keys.push(...page.keys);
  }
  process.stdout.write(json ? `${JSON.stringify({ keys })}\n` : keys.map((key) => `${lineOf(key)}\n`).join(''));
}

/** `svc keys rotate ID [--server URL] [--overlap-s N] [--expires-at TIME] [--reason TEXT] [--json]` */
export async function rotateKey(args: string[]): Promise<void> {
  const own = { 'overlap-s': { type: 'string' }, 'expires-at': { type: 'string' } } as const;
  const { positionals, values } = readArguments(args, { ...COMMON, ...REASON, ...own }, ['ID']);
  const { server, json, 'overlap-s': overlap, 'expires-at': expires_at, reason } = values;
  const body = { overlap_s: overlap === undefined ? undefined : Number(overlap), expires_at, reason };
  print(await ask(isCreated, server, { method: 'POST', path: `${pathOf(positionals)}/rotate`, body }), json);
}

/** `svc keys revoke ID [--server URL] [--reason TEXT] [--json]` */
export async function revokeKey(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(args, { ...COMMON, ...REASON }, ['ID']);
  const { server, json, reason } = values;
  const revoked = await ask(isKey, server, { method: 'DELETE', path: withReason(pathOf(positionals), reason) });
  process.stdout.write(json ? `${JSON.stringify(revoked)}\n` : `revoked: ${lineOf(revoked)}\n`);
}

function pathOf([id = '']: readonly string[]): string {
  return `/v1/keys/${encodeURIComponent(id)}`;
}

async function ask<T>(
  isAnswer: (answer: unknown) => answer is T,
  server: string,
  question: Parameters<typeof askServer>[1],
): Promise<T> {
  const answer = await askServer(server, question, ADMIN_HINTS);
  if (isAnswer(answer)) return answer;
  throw notOurs(server);
}

const isKey = (answer: unknown): answer is Static<typeof Key> => Value.Check(Key, answer);
const isCreated = (answer: unknown): answer is Static<typeof CreatedKey> => Value.Check(CreatedKey, answer);
const isList = (answer: unknown): answer is Static<typeof KeyList> => Value.Check({ Key }, KeyList, answer);

/** The key is on a line of its own, so that a shell can read it. */
function print(created: Static<typeof CreatedKey>, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(created)}\n` : `${lineOf(created)}\n${created.key}\n`);
}

type Line = Pick<
  Static<typeof Key>,
  'id' | 'principal_id' | 'roles' | 'routes' | 'rag' | 'team' | 'expires_at' | 'revoked_at'
> & {
  readonly last_used_at?: string | null;
  readonly rotated_from: string | null;
};

function lineOf({
  id,
  principal_id,
  roles,
  routes,
  rag,
  team,
  expires_at,
  revoked_at,
  rotated_from,
  last_used_at,
}: Line): string {
  const facts = [
    `roles ${roles.join(',')}`,
    ...(routes === null ? [] : [`routes ${routes.join(',')}`]),
    ...(rag === null ? [] : [`namespaces ${rag.namespaces.join(',')}`]),
    ...(team === null ? [] : [`team ${team}`]),
    ...(expires_at === null ? [] : [`expires ${expires_at}`]),
    ...(revoked_at === null ? [] : [`revoked ${revoked_at}`]),
    ...(rotated_from === null ? [] : [`rotated from ${rotated_from}`]),
    ...(last_used_at == null ? [] : [`last used ${last_used_at}`]),
  ];
  return printable(`${id} ${principal_id}: ${facts.join('; ')}`);
}
