import { existsSync } from 'node:fs';
import { CliError } from '../errors/cli-error.ts';
import { parseSince } from '../http/since.ts';
import { SERVER_OPTION } from '../served/ask-server.ts';
import { readArguments } from './arguments.ts';
import { readKeys, readPolicy } from './ledger-keys.ts';
import { checkRoots } from './ledger-timestamps.ts';

/**
 * `svc evidence pack --from TIME --to TIME [--out FILE] [--server URL] [--key VKEY].. [--policy FILE] [--tsa-ca FILE] [--json]`: writes the evidence of a
 * period as one archive with a verifier. The API key is in SVC_KEY.
 */
export async function packEvidence(args: string[]): Promise<void> {
  const { values } = readArguments(args, {
    server: SERVER_OPTION,
    from: { type: 'string' },
    to: { type: 'string' },
    out: { type: 'string' },
    key: { type: 'string', multiple: true, default: [] },
    policy: { type: 'string' },
    'tsa-ca': { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const { server, key: keys, policy, 'tsa-ca': roots, json } = values;
  const [from, to] = [timeIn('--from', values.from), timeIn('--to', values.to)];
  if (from >= to) throw new CliError('--from must be before --to', 2);
  readKeys(keys);
  if (policy !== undefined) await readPolicy(policy);
  if (roots !== undefined) await checkRoots(roots);
  const name = `svc-evidence-${shortOf(from)}-${shortOf(to)}`;
  const { out = `${name}.tar.gz` } = values;
  if (existsSync(out)) throw new CliError(`${out} already exists: remove it, or choose another file with --out`);
  const [{ writePack }, { VERSION }] = await Promise.all([
    import('../evidence-pack/write-pack.ts'),
    import('@svc/kernel/version'),
  ]);
  const written = await writePack({ server, out, name, from, to, release: VERSION, keys, policy, roots });
  const { facts, sums } = written;
  const { runs, ledger } = facts;
  const said = `${out}: ${runs.ended} runs, records ${ledger.first} to ${ledger.last} of the ledger "${ledger.origin}"
sha256 of SHA256SUMS: ${sums}
Give this digest to the auditor. To verify the pack, run: node verify.mjs`;
  process.stdout.write(json ? `${JSON.stringify({ file: out, sums, facts })}\n` : `${said}\n`);
}

/** ISO 8601 in the form of records. @throws {CliError} */
function timeIn(option: string, text: string | undefined): string {
  const time = text === undefined ? null : parseSince(text);
  if (time === null) throw new CliError(`${option} must be an ISO 8601 date or date-time, such as 2026-10-01`, 2);
  return time;
}

/** `2026-10-01T00:00:00.000Z` as `20261001`, other times with hours and smaller parts. */
function shortOf(time: string): string {
  return time.replace('T00:00:00.000Z', '').replaceAll(/[-:]/g, '');
}
