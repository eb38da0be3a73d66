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
  const info: unknown = JSON.parse(await readFile(join(folder, FILES.info), 'utf8'));
  if (!Value.Check(Info, info)) throw new PackFault(`${FILES.info} is not the description of a pack of this release (${FORMAT})`);
  return info;
}
