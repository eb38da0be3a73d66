import { base64Of } from './bytes.ts';
import { hashFromText } from './checkpoint.ts';
import { MalformedNote } from './malformed-note.ts';
import type { Hash } from './merkle.ts';

/** The request of https://c2sp.org/tlog-witness, by which a log asks a witness to cosign a checkpoint. */
export interface AddCheckpoint {
  /** The size that the witness cosigned last. */
  readonly old: number;
  /** A consistency proof from that size. */
  readonly path: readonly Hash[];
  /** A signed note. */
  readonly checkpoint: string;
}

const MAX_HASHES = 63;
const OLD = /^old (0|[1-9][0-9]{0,15})$/;

export function addCheckpointText({ old, path, checkpoint }: AddCheckpoint): string {
  return `${[`old ${old}`, ...path.map(base64Of)].join('\n')}\n\n${checkpoint}`;
}

/** @throws {MalformedNote} */
export function parseAddCheckpoint(text: string): AddCheckpoint {
  const end = text.indexOf('\n\n');
  const [first = '', ...hashes] = text.slice(0, end).split('\n');
  const [, old] = OLD.exec(first) ?? [];
  if (end < 0 || old === undefined || hashes.length > MAX_HASHES) throw new MalformedNote('not a request to add a checkpoint');
  return { old: Number(old), path: hashes.map(hashFromText), checkpoint: text.slice(end + 2) };
}
