import { Value } from 'typebox/value';
import { ConfigurationChange, Diagnostic, ErrorBody, ReloadResult } from '../http/schemas.ts';
import { printable } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { ADMIN_HINTS, answerOf, refusal, SERVER_OPTION } from './ask-server.ts';
import { diagnosticLine } from './diagnostic-line.ts';

const NAMED = { Diagnostic, ConfigurationChange };
const MARKS = { added: '+', removed: '-', changed: '~' } as const;

/**
 * `svc apply [--server URL] [--dry-run] [--reason R] [--json]`: makes a running server read its configuration file again and apply it. Exit code 1 if
 * the file is refused.
 */
export async function apply(args: string[]): Promise<void> {
  const { values } = readArguments(args, {
    server: SERVER_OPTION,
    'dry-run': { type: 'boolean', default: false },
    reason: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const { server, 'dry-run': dry_run, reason, json } = values;
  const body = { dry_run, reason: reason ?? null };
  const answer = await answerOf(server, { method: 'POST', path: '/v1/operations/configuration', body }, ADMIN_HINTS);
  const said = linesOf(answer, dry_run);
  if (said === null) throw refusal(server, answer, ADMIN_HINTS);
  if (!answer.ok) process.exitCode = 1;
  process.stdout.write(json ? `${JSON.stringify(answer.body, null, 2)}\n` : `${said.join('\n')}\n`);
}

/** Null if the response does not describe a configuration. */
function linesOf({ ok, body }: Awaited<ReturnType<typeof answerOf>>, dry_run: boolean): string[] | null {
  if (ok && Value.Check(NAMED, ReloadResult, body)) return resultLines(body, dry_run);
  if (ok || !Value.Check(NAMED, ErrorBody, body) || body.diagnostics === undefined) return null;
  return [...body.diagnostics.map((diagnostic) => diagnosticLine(diagnostic)), printable(body.detail)];
}

function resultLines(
  { active_digest, previous_digest, file_digest, changes, warnings }: ReloadResult,
  dry_run: boolean,
): string[] {
  const changed = changes.map(({ section, name, change }) => `${MARKS[change]} ${section}.${name}`);
  const end =
    dry_run && previous_digest !== file_digest
      ? `not applied (dry run): ${active_digest} stays active; the file has ${file_digest}`
      : previous_digest === active_digest && changes.length === 0
        ? `nothing to apply: ${active_digest} is already active`
        : `applied: ${active_digest} is now active (previously ${previous_digest})`;
  return [...warnings.map((warning) => diagnosticLine(warning)), ...[...changed, end].map(printable)];
}
