import { describe, expect, it } from 'vitest';
import { CliError } from '../errors/cli-error.ts';
import { COMMANDS } from './commands.ts';

/** What `svc` prints and returns for a misuse. */
async function refusal([name = '', ...args]: readonly string[]): Promise<CliError> {
  const command = await COMMANDS[name]?.();
  const refused: unknown = await command?.(args).then(
    () => new Error('it was accepted'),
    (error: unknown) => error,
  );
  if (refused instanceof CliError) return refused;
  throw refused;
}

it.each([
  [['serve', '--nonsense']],
  [['keys', 'new']],
  [['ledger', 'verify']],
  [['lint', 'one', 'two']],
  [['plugins', 'nonsense']],
  [['plugins', 'list', 'extra']],
  [['rag', 'index']],
  [['migrate']],
  [['migrate', 'lmdb-to-postgres']],
  [['migrate', 'lmdb-to-postgres', '--from', 'runs-db']],
  [['migrate', 'lmdb-to-sqlite', '--from', 'runs-db', '--to', 'x']],
  [['migrate', 'lmdb-to-postgres', '--from', 'runs-db', '--to', 'folder']],
  [['migrate', 'postgres-to-lmdb', '--from', 'runs-db', '--to', 'folder']],
])('misuse %j is reported in one line, with exit code 2', async (args) => {
  const { exit_code, message } = await refusal(args);
  expect([exit_code, message.split('\n')]).toEqual([2, [message]]);
});

describe.each(['keys', 'ledger', 'plugins', 'rag', 'runs'])('svc %s', (group) => {
  it.each([{ rest: [] }, { rest: ['nonsense'] }])('$rest is a misuse, and the existing commands are named', async ({ rest }) => {
    const { exit_code, message } = await refusal([group, ...rest]);
    expect([exit_code, message]).toEqual([2, expect.stringMatching(new RegExp(`there (is|are): svc ${group} \\w`))]);
  });
});
