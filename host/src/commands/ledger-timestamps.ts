import { CliError } from '../errors/cli-error.ts';
import type { ReadCertificate } from '../timestamps/certificate-chain.ts';
import { type KeptCheckpoint, readBytes } from './ledger-keys.ts';

type Refusal = import('../timestamps/invalid-timestamp.ts').InvalidTimestamp;

/**
 * Checks each time stamp against the bytes of the checkpoint that it is for.
 * @param ca a file with the root certificates of the authorities
 * @throws {CliError} unless all of them are valid
 */
export async function withTimestamps(
  checkpoints: readonly KeptCheckpoint[],
  files: readonly string[],
  ca: string,
): Promise<readonly KeptCheckpoint[]> {
  const roots = await checkRoots(ca);
  const found = await Promise.all(files.map((file) => stampedBy(file, checkpoints, roots)));
  return checkpoints.map((checkpoint) => found.findLast(({ file }) => file === checkpoint.file) ?? checkpoint);
}

/** The root certificates of `--tsa-ca`. @throws {CliError} */
export async function checkRoots(ca: string): Promise<readonly ReadCertificate[]> {
  const { readRoots } = await import('../timestamps/roots.ts');
  const roots = await readRoots(ca);
  if (roots === null) throw new CliError(`--tsa-ca ${ca}: cannot be read, or does not contain PEM certificates`, 2);
  return roots;
}

/** The checkpoint that a time stamp is for. @throws {CliError} */
async function stampedBy(
  file: string,
  checkpoints: readonly KeptCheckpoint[],
  roots: readonly ReadCertificate[],
): Promise<KeptCheckpoint> {
  // Loaded on demand: most verifications need no ASN.1.
  const [{ checkTimestamp }, { InvalidTimestamp }] = await Promise.all([
    import('../timestamps/timestamp-response.ts'),
    import('../timestamps/invalid-timestamp.ts'),
  ]);
  const reply = await readBytes(file);
  const refusals: Refusal[] = [];
  for (const checkpoint of checkpoints) {
    try {
      const { time, authority } = checkTimestamp(reply, Buffer.from(checkpoint.note), roots, null);
      return { ...checkpoint, timestamp: { time: time.toISOString(), authority } };
    } catch (error) {
      if (!(error instanceof InvalidTimestamp)) throw error;
      refusals.push(error);
    }
  }
  const why = refusals.find(({ code }) => code !== 'WRONG_IMPRINT') ?? refusals[0];
  throw new CliError(`cannot use the time stamp ${file}: ${why?.message ?? 'add --checkpoint FILE'}`);
}
