import { readFile } from 'node:fs/promises';
import {
  type Checkpoint,
  cosignaturesIn,
  MalformedNote,
  openNote,
  parseCheckpoint,
  parsePolicy,
  parseVerifierKey,
  sessionExtent,
  type Verifier,
  type WitnessPolicy,
} from '@svc/ledger';
import { CliError } from '../errors/cli-error.ts';
import { reasonOf } from '../errors/malformed-note.ts';

/** Exit codes of a verification. 1 (refused) and 2 (misused) mean that nothing was verified. */
export const EXIT_CODES = { anchored: 0, self_attested: 3, broken: 4 } as const;
export type Verdict = keyof typeof EXIT_CODES;

/** A checkpoint that was kept in a file. */
export interface KeptCheckpoint extends Checkpoint {
  readonly file: string;
  /** The whole note. */
  readonly note: string;
  /** `name+id` of those given keys that signed it. Empty if no key was given. */
  readonly signed_by: readonly string[];
  /** The witnesses that cosigned it, and when. Empty if no policy was given. */
  readonly cosigned_by: readonly { readonly name: string; readonly time: string }[];
  /** What a time-stamp authority states about the bytes of the file. Null: no token for it was given. */
  readonly timestamp: { readonly time: string; readonly authority: string } | null;
  /** For a session: up to which size of the ledger it is complete. Null: not stated. */
  readonly extent: ReturnType<typeof sessionExtent>;
}

/** @throws {CliError} */
export function readKeys(texts: readonly string[]): Verifier[] {
  return texts.map((text) => {
    try {
      return parseVerifierKey(text);
    } catch (error) {
      throw new CliError(`--key ${text}: ${reasonOf(error)}; use a line printed by svc ledger keys`, 2);
    }
  });
}

/** @throws {CliError} if it is not a checkpoint, or none of the given keys signed it, so that nothing can be verified against it */
export async function readCheckpoint(
  file: string,
  keys: readonly Verifier[],
  policy: WitnessPolicy | null = null,
): Promise<KeptCheckpoint> {
  return checkpointIn(await readText(file), file, keys, policy);
}

/** As {@link readCheckpoint}, for a note that was read from a file. */
export function checkpointIn(
  note: string,
  file: string,
  keys: readonly Verifier[],
  policy: WitnessPolicy | null = null,
): KeptCheckpoint {
  try {
    const { text, signedBy } = openNote(note, keys);
    if (keys.length > 0 && signedBy.length === 0) throw new MalformedNote('it is not signed by any of the given keys');
    const cosigned_by = policy === null ? [] : cosignersOf(note, policy);
    return {
      ...parseCheckpoint(text),
      file,
      note,
      signed_by: signedBy.map(nameOf),
      cosigned_by,
      timestamp: null,
      extent: sessionExtent(text),
    };
  } catch (error) {
    throw new CliError(`cannot use the checkpoint ${file}: ${reasonOf(error)}`);
  }
}

/** @throws {MalformedNote} unless the cosignatures are enough */
function cosignersOf(note: string, policy: WitnessPolicy): KeptCheckpoint['cosigned_by'] {
  const cosignatures = cosignaturesIn(
    note,
    policy.witnesses.map(({ verifier }) => verifier),
  );
  if (!policy.isQuorum(new Set(cosignatures.map(({ witness }) => witness))))
    throw new MalformedNote(
      `the policy requires more cosignatures: this checkpoint has ${cosignatures.length} from its witnesses`,
    );
  return cosignatures.map(({ witness, time_s }) => ({ name: nameOf(witness), time: new Date(time_s * 1000).toISOString() }));
}

/** @throws {CliError} */
export async function readPolicy(file: string): Promise<WitnessPolicy> {
  const text = await readText(file);
  try {
    return parsePolicy(text);
  } catch (error) {
    throw new CliError(`--policy ${file}: ${reasonOf(error)}`, 2);
  }
}

/** @throws {CliError} */
export async function readText(file: string): Promise<string> {
  return (await readBytes(file)).toString('utf8');
}

/** @throws {CliError} */
export async function readBytes(file: string): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`cannot read ${file} (${error.code ?? 'unknown'})`);
  });
}

export function nameOf({ name, id }: Verifier): string {
  return `${name}+${id.toString('hex')}`;
}
