// Builds the pages. Each is one self-contained HTML file with a single <style> and a single <script>, whose hashes the server allows in the
// Content-Security-Policy.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const PAGES = {
  showcase: 'Showcase',
  approvals: 'Approvals',
  runs: 'Runs',
  usage: 'Usage',
  admin: 'Administration',
  docs: 'API',
};

export async function pages(root) {
  const source = join(root, 'host', 'pages');
  const layout = readFileSync(join(source, 'layout.html'), 'utf8');
  const shared = await bundle(join(source, 'style', 'main.css'));
  const files = [];
  for (const [name, title] of Object.entries(PAGES)) {
    // A page with much style of its own has a file that imports the shared one.
    const own = join(source, name, `${name}.css`);
    const style = existsSync(own) ? await bundle(own) : shared;
    const parts = {
      '{{title}}': title,
      '{{content}}': readFileSync(join(source, name, 'content.html'), 'utf8').trimEnd(),
      '<style></style>': `<style>${style}</style>`,
      '<script></script>': `<script>${await bundle(join(source, name, 'main.ts'))}</script>`,
    };
    const html = Object.entries(parts).reduce((text, [place, part]) => insert(name, text, place, part), layout);
    files.push({ path: `host/dist/pages/${name}.html`, contents: html });
  }
  // The styles of the pages that commands write: `svc try --html`, `svc report --format html`, `svc replay --html` and `svc evidence pack`.
  for (const name of ['try', 'report', 'replay', 'pack'])
    files.push({ path: `host/dist/pages/${name}.css`, contents: await bundle(join(source, name, `${name}.css`)) });
  return files;
}

export async function bundle(entryPoint) {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    // Uses the sources of other packages, because their builds may be older.
    conditions: ['@svc/source', 'browser'],
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const written = outputFiles[0].text.trim();
  // Only literals contain this, because esbuild separates the operators `<` and `!`. Every kind of literal may contain the escape.
  const text = entryPoint.endsWith('.ts') ? written.replaceAll('<!--', '\\x3C!--') : written;
  // A closing tag would end the element early. A comment changes how a browser reads the rest. A carriage return changes the hash.
  if (/<\/(script|style)|<!--|\r/i.test(text)) throw new Error(`${entryPoint}: cannot be embedded in a page as it is`);
  return text;
}

function insert(name, text, place, part) {
  if (text.split(place).length !== 2) throw new Error(`page ${name}: expected exactly one ${place}`);
  return text.replace(place, () => part);
}
