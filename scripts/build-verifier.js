// Builds the verifier of evidence packs: one file that needs Node alone. It is not minified, so that an auditor can read it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { bundle } from './build-pages.js';

const LICENCES = ['LICENSE', 'LICENSE.md', 'license', 'LICENSE.txt', 'CopyrightNotice.txt'];

export async function verifier(root) {
  const style = await bundle(join(root, 'host', 'pages', 'pack', 'pack.css'));
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, 'host', 'src', 'evidence-pack', 'verify.ts')],
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: root,
    platform: 'node',
    format: 'esm',
    // Uses the sources of other packages, because their builds may be older.
    conditions: ['@svc/source'],
    target: 'node22.12',
    // The verifier computes the page of the pack again.
    define: { PACK_STYLE: JSON.stringify(style) },
    legalComments: 'none',
    logLevel: 'warning',
  });
  const packages = [...new Set(Object.keys(metafile.inputs).flatMap((path) => packageOf(path)))].sort();
  const notices = packages.map((folder) => licenceOf(root, folder));
  const head = '// Verifies an evidence pack of svc: node verify.mjs --help\n';
  return { path: 'host/dist/evidence-pack/verify.mjs', contents: `${head}${outputFiles[0].text}${notices.join('')}` };
}

/** The folder of a dependency. Our own packages are links, which esbuild resolves. */
function packageOf(path) {
  const [found] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
  return found === undefined ? [] : [found];
}

function licenceOf(root, folder) {
  const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = LICENCES.map((one) => join(root, folder, one)).find(existsSync);
  if (file === undefined) throw new Error(`${dirname(folder)}/${name} has no licence file`);
  const lines = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  return [`\nContains ${name} ${version}:`, ...lines]
    .map((line) => (line.startsWith('\n') ? `\n// ${line.slice(1)}\n` : `// ${line}\n`.replace(/ +\n/, '\n')))
    .join('');
}
