import { RunEvidence } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { CliError } from '../errors/cli-error.ts';
import { MayDecide } from '../http/schemas.ts';
import { printable, styled } from '../terminal/terminal.ts';
import { AUDIT_HINTS, type Hints, notOurs } from './ask-server.ts';

/** As `Run`, but with events of any release. */
export const ServedRun = Type.Object({
  run_id: Type.String(),
  route: Type.String(),
  principal_id: Type.String(),
  status: Type.String(),
  approvers: Type.Array(Type.String()),
  may_decide: Type.Optional(Type.Array(MayDecide)),
  events: RunEvidence.properties.events,
  config_digest: Type.String(),
  session: Type.Optional(Type.String()),
  client: Type.Optional(Type.String()),
});
export type ServedRun = Static<typeof ServedRun>;

const ServedRunInList = Type.Object({ ...ServedRun.properties, created_at: Type.String() });
export type ServedRunInList = Static<typeof ServedRunInList>;
const ServedList = Type.Object({ runs: Type.Array(ServedRunInList) });

export const APPROVE_HINTS: Hints = { ...AUDIT_HINTS, refused: 'SVC_KEY must be the API key of an approver of this run' };
/** Approvers may list paused runs. */
export const LIST_HINTS: Hints = {
  ...AUDIT_HINTS,
  refused: 'SVC_KEY must be an API key with the role audit, or with the role approve for --status paused',
};
export const READ_HINTS: Hints = { ...AUDIT_HINTS, refused: 'SVC_KEY must be an API key that can read this run' };

/** @throws {CliError} if the server sent something else */
export function runsIn(page: unknown, server: string): readonly ServedRunInList[] {
  if (Value.Check(ServedList, page)) return page.runs;
  throw notOurs(server);
}

/** The path of the list of runs. Filters that are undefined are left out. */
export function listPath(filters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(filters).filter((filter): filter is [string, string] => filter[1] !== undefined);
  return `/v1/audit?${new URLSearchParams(given)}`;
}

export function runPath(run_id: string): string {
  if (run_id === '') throw new CliError('RUN_ID is empty', 2);
  return `/v1/runs/${encodeURIComponent(run_id)}`;
}

const STYLES = { completed: 'green', paused: 'yellow', blocked: 'red', denied: 'red', error: 'red' } as const;

/** `status`, padded to the column's width and in its colour. */
export function statusText(status: string, width = 0): string {
  const text = printable(status).padEnd(width);
  return status in STYLES ? styled(STYLES[status as keyof typeof STYLES], text) : text;
}

export function lineOf({ run_id, created_at, status, route, principal_id }: Omit<ServedRunInList, 'events'>): string {
  return `${printable(created_at)}  ${printable(run_id)}  ${statusText(status, 9)}  ${printable(route)}  ${printable(principal_id)}`;
}
