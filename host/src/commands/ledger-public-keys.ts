import { parseVerifierKey } from '@svc/ledger';
import { CliError } from '../errors/cli-error.ts';
import { readArguments } from './arguments.ts';
import { reasonOf } from './ledger-keys.ts';

/**
 * `svc ledger keys URL`: prints the public keys with which a running server signs checkpoints, one per line, the newest first. Its API key
 * is in SVC_KEY.
 */
export async function printLedgerKeys(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(args, { json: { type: 'boolean', default: false } }, ['URL']);
  const [url = ''] = positionals;
  if (!/^https?:\/\//.test(url)) throw new CliError(`${url} is not an http:// or https:// URL`, 2);
  const said = await askForKeys(url, process.env.SVC_KEY);
  process.stdout.write(values.json ? `${JSON.stringify(said, null, 2)}\n` : `${said.verifier_keys.join('\n')}\n`);
}

interface SaidKeys {
  readonly origin: string;
  readonly verifier_keys: readonly string[];
}

async function askForKeys(url: string, key: string | undefined): Promise<SaidKeys> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(new URL('/v1/audit/ledger/keys', url), { headers, redirect: 'manual' }).catch(() => {
    throw new CliError(`${url} cannot be reached: is the server running?`);
  });
  if (!response.ok) throw new CliError(`${url} answered ${response.status}; set SVC_KEY to a key with the role audit`);
  const said: unknown = await response.json().catch(() => null);
  if (!areKeys(said)) throw new CliError(`${url} did not return ledger keys`);
  return { origin: said.origin, verifier_keys: said.verifier_keys };
}

/** Nothing else may be printed: the output is used in a shell. */
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
