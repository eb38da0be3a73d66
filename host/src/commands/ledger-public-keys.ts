import { parseVerifierKey } from '@svc/ledger';
import { CliError } from '../errors/cli-error.ts';
import { reasonOf } from '../errors/malformed-note.ts';
import { AUDIT_HINTS, askServer, SERVER_OPTION } from '../served/ask-server.ts';
import { LEDGER } from '../served/ledger-pages.ts';
import { readArguments } from './arguments.ts';

/**
 * `svc ledger keys [--server URL]`: prints the public keys with which a running server signs checkpoints, one per line, newest first. The API key is
 * in SVC_KEY.
 */
export async function printLedgerKeys(args: string[]): Promise<void> {
  const { values } = readArguments(args, { server: SERVER_OPTION, json: { type: 'boolean', default: false } });
  const { server: url } = values;
  const said = await askForKeys(url);
  process.stdout.write(values.json ? `${JSON.stringify(said, null, 2)}\n` : `${said.verifier_keys.join('\n')}\n`);
}

interface SaidKeys {
  readonly origin: string;
  readonly verifier_keys: readonly string[];
}

async function askForKeys(url: string): Promise<SaidKeys> {
  const body = await askServer(url, { method: 'GET', path: `${LEDGER}/keys` }, AUDIT_HINTS);
  if (!areKeys(body)) throw new CliError(`${url} did not return ledger keys`);
  return { origin: body.origin, verifier_keys: body.verifier_keys };
}

/** Nothing else may be printed, because the output is used in a shell. */
function areKeys(said: unknown): said is SaidKeys {
  if (typeof said !== 'object' || said === null || !('origin' in said) || !('verifier_keys' in said)) return false;
  const { origin, verifier_keys } = said;
  return typeof origin === 'string' && Array.isArray(verifier_keys) && verifier_keys.length > 0 && verifier_keys.every(isKey);
}

function isKey(text: unknown): boolean {
  if (typeof text !== 'string' || text.trim() !== text) return false;
  try {
    parseVerifierKey(text);
    return true;
  } catch (error) {
    reasonOf(error);
    return false;
  }
}
