import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { sha256 } from '@svc/ledger';
import { parseYaml } from './parse.ts';
import { Report } from './report.ts';

const START = { line: 1, column: 1 };

export interface Source {
  /** Absolute path. */
  readonly path: string;
  readonly directory: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
  readonly report: Report;
  /** Null if the file cannot be read as a map. The report then says why. */
  readonly value: JsonObject | null;
}

/**
 * @param file path as the operator wrote it, for diagnostics
 * @param known content of the file if it was read before; used instead of the present content
 */
export async function readSource(file: string, known?: Uint8Array): Promise<Source> {
  const path = resolve(file);
  const place = { path, directory: dirname(path) };
  const refuse = (message: string, bytes: Uint8Array, digest: string): Source => {
    const report = new Report(file, () => START);
    report.error('SVC-POL-001', [], message);
    return { ...place, bytes, digest, report, value: null };
  };
  let bytes: Uint8Array;
  try {
    bytes = known ?? (await readFile(path));
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : 'unknown';
    const message =
      why === 'ENOENT' ? `the file does not exist: create it with svc init --config ${file}` : `cannot read the file (${why})`;
    return refuse(message, new Uint8Array(), '');
  }
  const digest = sha256(bytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('the file is not UTF-8 text', bytes, digest);
  }
  const { value, locate, problems } = parseYaml(text);
  const report = new Report(file, locate);
  for (const { message, line, column } of problems) report.error('SVC-POL-001', [], message, { position: { line, column } });
  return { ...place, bytes, digest, report, value };
}
