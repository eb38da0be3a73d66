import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { Type } from 'typebox';
import { GENESIS, ModelInventory, RunEvidence } from '../contracts/index.ts';
import { compileRecord, type Places } from './compile.ts';
import type { EndOf } from './scan.ts';

const ZERO = 0x30;
const HASH_MEMBER = '"hash":';
/** Before the digest, in a hash. */
export const SHA256 = 'sha256:';

/** Where a record's members are among those of its shape. */
interface Reader {
  readonly endOf: EndOf;
  readonly places: Places;
  readonly seq: number;
  readonly prev_hash: number;
  readonly hash: number;
  /** Null: the record is not of a run. */
  readonly run_id: number | null;
}

/** What a whole record says. */
export interface Read {
  /** Of its hash, what stands behind `sha256:`. */
  readonly digest: string;
  /** Part of the record's bytes. Null: the record is not of a run. */
  readonly run_id: Uint8Array | null;
}

/**
 * Says of nearly every whole record that it is one, as `readRecord` does, without making objects of it. Says nothing of any other:
 * ask `readRecord` then.
 */
export class FastReader {
  readonly #readers = [reader(RunEvidence), reader(ModelInventory)];
  /** Room for a record and a 0 behind it. */
  #room = Buffer.alloc(0x1000);

  /**
   * @param records how many stand before it
   * @param last digest of the last of them; null: there are none
   * @returns null: not known
   */
  read(bytes: Buffer, records: number, last: string | null): Read | null {
    if (!isUtf8(bytes)) return null;
    if (this.#room.length <= bytes.length) this.#room = Buffer.alloc(bytes.length * 2);
    bytes.copy(this.#room);
    this.#room[bytes.length] = 0;
    const reader = this.#readers.find(({ endOf }) => endOf(this.#room, 0) === bytes.length);
    if (reader === undefined) return null;
    const { places, seq, prev_hash, hash: own, run_id } = reader;
    const { begins, ends } = places;
    if (numberAt(bytes, begins[seq] ?? 0, ends[seq] ?? 0) !== records + 1) return null;
    if (!(last === null ? isText(bytes, places, prev_hash, GENESIS) : isText(bytes, places, prev_hash, SHA256, last)))
      return null;
    const digest = this.#digestWithout((begins[own] ?? 0) - HASH_MEMBER.length, ends[own] ?? 0, bytes.length);
    if (!isText(bytes, places, own, SHA256, digest)) return null;
    return { digest, run_id: run_id === null ? null : bytes.subarray((begins[run_id] ?? 0) + 1, (ends[run_id] ?? 0) - 1) };
  }

  /** Cuts a member out, with the comma after it: there is one, as `prev_hash` comes after `hash`. */
  #digestWithout(begin: number, end: number, length: number): string {
    this.#room.copyWithin(begin, end + 1, length);
    return hash('sha256', this.#room.subarray(0, length - (end + 1 - begin)), 'hex');
  }
}

function numberAt(bytes: Uint8Array, begin: number, end: number): number {
  let number = 0;
  for (let at = begin; at < end; at++) number = number * 10 + (bytes[at] ?? 0) - ZERO;
  return number;
}

/** Whether a member is this text, of plain ASCII, and nothing else. */
function isText(bytes: Uint8Array, { begins, ends }: Places, member: number, start: string, rest = ''): boolean {
  const at = (begins[member] ?? 0) + 1;
  const length = (ends[member] ?? 0) - 1 - at;
  return length === start.length + rest.length && isAt(bytes, at, start) && isAt(bytes, at + start.length, rest);
}

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function reader({ properties }: typeof RunEvidence | typeof ModelInventory): Reader {
  // Of `hash` it is enough that it is a text: it has to be the one computed.
  const { endOf, places } = compileRecord(Type.Object({ ...properties, hash: Type.String() }));
  const at = (name: string): number => places.names.indexOf(name);
  const run_id = at('run_id');
  return { endOf, places, seq: at('seq'), prev_hash: at('prev_hash'), hash: at('hash'), run_id: run_id < 0 ? null : run_id };
}
