import { isObject, type JsonObject } from '@svc/contracts';
import type { PackSource } from './pack-source.ts';
import { withFile } from './pack-source.ts';
import { type PartOf, RecordPart } from './record-part.ts';

/** How far the clocks of gateways may differ, in milliseconds. */
const SKEW_MS = 120_000;
const PAGE = 1000;
/** Records of one step of the search. Not every record has a time. */
const PROBE = 20;
/** The search ends when at most this number of records is left to read. */
const NEAR = 500;

export interface ReadPart {
  /** `seq`; 0: none. */
  readonly first: number;
  readonly last: number;
  /** The latest time of a record, ISO 8601; null: none has a time. */
  readonly latest: string | null;
}

type Part = Omit<PartOf, 'cutsBefore'>;

/**
 * Writes the part of a log that belongs to a period.
 * @param size only this number of records is read, as many as a checkpoint covers
 * @param isWhole whether the part begins with the first record of the log
 */
export async function readPart(
  source: PackSource,
  { log, size, isWhole, path, part }: { log: string; size: number; isWhole: boolean; path: string; part: Part },
): Promise<ReadPart> {
  const begin = isWhole ? 0 : await lastBefore(source, log, size, shifted(part.from, -SKEW_MS), part.timeOf);
  const end = shifted(part.to, SKEW_MS);
  return withFile(path, async (file) => {
    const written = new RecordPart(file, { ...part, cutsBefore: !isWhole });
    let seq = begin;
    read: for await (const page of source.records(log, begin, Math.min(PAGE, Math.max(1, size - begin)))) {
      for (const bytes of page) {
        if (seq === size) break read;
        seq += 1;
        const time = written.add(bytes, seq);
        if (time !== null && time >= end) break read;
      }
      await written.flush();
      if (seq === size) break;
    }
    await written.end();
    const { first, last, latest } = written;
    return { first, last, latest };
  });
}

/** A number of records after which the next one with a time is from before `time`; 0 if there is none. Found in steps that halve what is left. */
async function lastBefore(
  source: PackSource,
  log: string,
  size: number,
  time: string,
  timeOf: PartOf['timeOf'],
): Promise<number> {
  let [low, high] = [0, size];
  while (high - low > NEAR) {
    const middle = Math.floor((low + high) / 2);
    const found = await timeAfter(source, log, middle, timeOf);
    if (found !== null && found < time) low = middle;
    else high = middle;
  }
  return low;
}

async function timeAfter(source: PackSource, log: string, seq: number, timeOf: PartOf['timeOf']): Promise<string | null> {
  for await (const page of source.records(log, seq, PROBE))
    for (const bytes of page) {
      const record: unknown = JSON.parse(Buffer.from(bytes).toString());
      const time = isObject(record) ? timeOf(record) : null;
      if (time !== null) return time;
    }
  return null;
}

function shifted(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** When a run ended. Inventory records have no time. */
export const endOfRun = ({ record_type, completed_at }: JsonObject): string | null =>
  record_type === 'run_evidence' ? textOf(completed_at) : null;

export const timeOfOperation = ({ at }: JsonObject): string | null => textOf(at);
