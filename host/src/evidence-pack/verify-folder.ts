import { createHash, type Hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, type CheckedPack, checkPack } from './check-pack.ts';
import { DERIVED, type DerivedFile, FILES } from './files.ts';
import { readInfo } from './info.ts';
import { faultIn } from './pack-fault.ts';
import { packPage } from './pack-page.ts';
import { differencesFrom, foreignIn, sumsOf } from './sums.ts';
import { type Trust, trustIn } from './trust.ts';

/** Replaces what the pack itself names. With a policy, cosignatures are required, and with certificates a time stamp. */
export type GivenTrust = { readonly [K in Exclude<keyof Trust, 'needs'>]?: Trust[K] };

/**
 * Verifies a pack: the digest of every file, and all records, proofs and signatures.
 * @param given in place of the keys, policy and certificates of the pack
 * @param css the style of the page
 */
export async function verifyFolder(folder: string, given: GivenTrust, css: string): Promise<CheckedPack> {
  const sums = await sumsOf(folder);
  const foreign = foreignIn(sums);
  // Nothing more is read then: a device could have no end.
  if (foreign.length > 0) return { checks: [{ name: 'files', ok: false, text: foreign.join(', ') }], facts: null };
  const files = await filesCheck(folder, sums);
  let trust: Trust;
  try {
    trust = await trustIn(folder);
  } catch (error) {
    return { checks: [files, { name: 'trust', ok: false, text: faultIn(error) }], facts: null };
  }
  const hashes = new Map<DerivedFile, Hash>(DERIVED.map((file) => [file, createHash('sha256')]));
  // The table of requirements follows from what the pack itself names, so this is checked first.
  const own = await checkPack(folder, trust, (file, part) => void hashes.get(file)?.update(part));
  const page = createHash('sha256');
  if (own.facts !== null) {
    const { release } = await readInfo(folder);
    page.update(packPage({ facts: own.facts, checks: own.checks, names: new Set([...sums.keys(), FILES.sums]), css, release }));
  }
  const derived = derivedCheck(sums, new Map([...hashes, [FILES.page, page]]), own);
  if (Object.keys(given).length === 0) return { ...own, checks: [files, ...own.checks, derived] };
  const needs = { cosignatures: given.policy !== undefined, timestamp: given.roots !== undefined };
  const checked = await checkPack(folder, { ...trust, ...given, needs }, () => undefined);
  const isSound = own.facts !== null;
  return { checks: [files, ...checked.checks, derived], facts: isSound ? checked.facts : null };
}

async function filesCheck(folder: string, sums: ReadonlyMap<string, string>): Promise<Check> {
  const name = 'files';
  try {
    const differences = differencesFrom(await readFile(join(folder, FILES.sums), 'utf8'), sums);
    if (differences.length > 0) return { name, ok: false, text: differences.join(', ') };
    return { name, ok: true, text: `${sums.size} files: each matches its digest in ${FILES.sums}, and there are no others` };
  } catch (error) {
    return { name, ok: false, text: faultIn(error) };
  }
}

/** Whether the files that follow from the records are the ones in the pack. */
function derivedCheck(
  sums: ReadonlyMap<string, string>,
  hashes: ReadonlyMap<DerivedFile | typeof FILES.page, Hash>,
  { facts }: CheckedPack,
): Check {
  const name = 'derived';
  const names = [...hashes.keys()].join(', ');
  if (facts === null) return { name, ok: false, text: `not checked, because the records are not valid: ${names}` };
  const wrong = [...hashes].filter(([file, hash]) => sums.get(file) !== hash.digest('hex')).map(([file]) => file);
  if (wrong.length > 0) return { name, ok: false, text: `${wrong.join(', ')}: not what the records yield` };
  return { name, ok: true, text: `${names}: computed again from the records, without a difference` };
}
