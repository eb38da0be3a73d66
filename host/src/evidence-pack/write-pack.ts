import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { CliError } from '../errors/cli-error.ts';
import { reportPage } from '../report/report-page.ts';
import { exportedRuns } from '../served/exported-runs.ts';
import { asCsv, asJson, reportOf } from '../served/report-of-server.ts';
import { styleOf } from '../written-page/written-page.ts';
import { type Check, checkPack } from './check-pack.ts';
import { type Asked, PackComposer } from './compose.ts';
import type { PackFacts } from './facts.ts';
import { DERIVED, FILES } from './files.ts';
import { faultIn } from './pack-fault.ts';
import { packPage } from './pack-page.ts';
import { PackSource } from './pack-source.ts';
import { filesIn, sumsOf, sumsText } from './sums.ts';
import { writeTar } from './tar.ts';
import { trustIn } from './trust.ts';

/** The build puts the verifier here. */
const VERIFIER = new URL('dist/evidence-pack/verify.mjs', import.meta.resolve('@svc/host/package.json'));

export interface PackRequest extends Asked {
  readonly server: string;
  /** The archive. */
  readonly out: string;
  /** The folder in the archive. */
  readonly name: string;
}

export interface WrittenPack {
  readonly facts: PackFacts;
  /** SHA-256 of the list of digests, in hex: it identifies the pack. */
  readonly sums: string;
}

/**
 * Writes a pack. Its files are collected in a folder beside the archive, which is removed in the end.
 * @throws {CliError} if the server refuses, or what it returns is not valid (exit code 4); then no archive is written
 */
export async function writePack({ server, out, name, ...asked }: PackRequest): Promise<WrittenPack> {
  const source = new PackSource(server);
  const folder = await mkdtemp(`${resolve(out)}.`).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`cannot write ${out} (${error.code ?? 'unknown'})`);
  });
  try {
    await new PackComposer(source, folder, asked).compose();
    await writeReports(server, folder, asked);
    const { checks, facts } = await verified(folder);
    await copyFile(VERIFIER, join(folder, FILES.verifier));
    const names = new Set([...(await filesIn(folder)).map(({ name: file }) => file), FILES.page, FILES.sums]);
    const { release } = asked;
    await writeFile(join(folder, FILES.page), packPage({ facts, checks, names, css: await styleOf('pack'), release }));
    const sums = await sumsOf(folder);
    const list = sumsText(sums);
    await writeFile(join(folder, FILES.sums), list);
    await writeTar(out, folder, [...sums.keys(), FILES.sums], name);
    return { facts, sums: createHash('sha256').update(list).digest('hex') };
  } catch (error) {
    if (error instanceof CliError) throw error;
    // A full disk says nothing about the evidence.
    if (error instanceof Error && 'syscall' in error) throw new CliError(`cannot write ${out}: ${error.message}`);
    throw new CliError(`${server} did not return valid evidence: ${faultIn(error)}`, 4);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What `svc report` and `svc audit export` print. */
async function writeReports(server: string, folder: string, { from, to }: Asked): Promise<void> {
  const report = await reportOf(server, { from, to, route: null });
  await mkdir(join(folder, dirname(FILES.report)), { recursive: true });
  await writeFile(join(folder, FILES.report), asJson(report));
  await writeFile(join(folder, FILES.reportTable), asCsv(report));
  await writeFile(join(folder, FILES.reportPage), await reportPage(report));
  await writeFile(join(folder, FILES.runs), Readable.from(exportedRuns(server, { since: from, until: to })));
}

/** Verifies the folder as the verifier will, and writes the files that follow from the records. @throws {CliError} */
async function verified(folder: string): Promise<{ checks: readonly Check[]; facts: PackFacts }> {
  const files = new Map(DERIVED.map((file) => [file, openSync(join(folder, file), 'wx')]));
  try {
    const trust = await trustIn(folder);
    const { checks, facts } = await checkPack(folder, trust, (file, part) => writeSync(files.get(file) ?? -1, part));
    if (facts !== null) return { checks, facts };
    const broken = checks.filter(({ ok }) => !ok).map(({ name, text }) => `${name}: ${text}`);
    throw new CliError(`no pack was written, because the server returned invalid evidence: ${broken.join('; ')}`, 4);
  } finally {
    for (const file of files.values()) closeSync(file);
  }
}
