import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { Packed } from '../../scripts/release-pack.ts';

/** Problems that a strict check finds in a package, as text. */
export async function faultsOf({ folder, tarball, files }: Packed): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const data = readFileSync(tarball);
  const { messages } = await publint({ strict: true, pack: { tarball: toArrayBuffer(data) } });
  const types = await checkPackage(createPackageFromTarballData(data));
  return [
    ...messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code),
    // The packages have only ESM and only subpaths in `exports`. Tools without support for these are ignored.
    ...(types.types === false ? ['no types'] : types.problems)
      .filter((problem) => typeof problem === 'string' || !isForOldResolution(problem))
      .map((problem) => JSON.stringify(problem)),
    ...['package.json', 'README.md', 'LICENSE'].filter((name) => !files.includes(name)).map((name) => `no ${name}`),
    ...files.filter(
      (file) => /(^|\/)(src|test|node_modules)\/|\.test\.|(^|\/)test-[^/]*$/.test(file) && !file.startsWith('templates/'),
    ),
    ...(manifest.publishConfig?.provenance === true ? [] : ['no provenance']),
  ];
}

function isForOldResolution(problem: object): boolean {
  return 'resolutionKind' in problem && (problem.resolutionKind === 'node10' || problem.resolutionKind === 'node16-cjs');
}

function toArrayBuffer(data: Buffer): ArrayBuffer {
  return new Uint8Array(data).buffer;
}
