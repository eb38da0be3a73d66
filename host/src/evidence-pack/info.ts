import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { FILES, FORMAT, type PackInfo } from './files.ts';
import { PackFault } from './pack-fault.ts';

const count = Type.Integer({ minimum: 0 });
const Info = Type.Object(
  {
    format: Type.Literal(FORMAT),
    release: Type.String(),
    from: Type.String(),
    to: Type.String(),
    last_record: count,
    last_operation: count,
  },
  { additionalProperties: false },
);

export function infoText(info: PackInfo): string {
  return `${JSON.stringify(info, null, 2)}\n`;
}

/** @throws {PackFault} or {SyntaxError} */
export async function readInfo(folder: string): Promise<PackInfo> {
  const text = await readFile(join(folder, FILES.info), 'utf8');
  const info: unknown = JSON.parse(text);
  if (!Value.Check(Info, info)) throw new PackFault(`${FILES.info} does not describe a pack of this release (${FORMAT})`);
  const { format, release, from, to, last_record, last_operation } = info;
  // A person reads this file, too: a field that it has twice could show another period.
  if (text !== infoText({ format, release, from, to, last_record, last_operation }))
    throw new PackFault(`${FILES.info} is not in the form that svc evidence pack writes`);
  if (!isTime(from) || !isTime(to) || from >= to) throw new PackFault(`${FILES.info} has no valid period`);
  return info;
}

const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** Whether a time has the form of those in records. In another form, the texts would not sort by time. */
function isTime(text: string): boolean {
  const ms = Date.parse(text);
  return text.length === TIME_LENGTH && !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}
