import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '@svc/kernel/version';
import { CliError } from '../errors/cli-error.ts';
import { quoted } from './quoted.ts';

const HOST = fileURLToPath(import.meta.resolve('@svc/host/package.json'));
const TEMPLATES = join(dirname(HOST), 'templates');
/** The repository, if the gateway runs from a clone, whose packages may be in no registry. Null if the gateway was installed. */
const CLONE = existsSync(join(dirname(HOST), '..', 'sdk', 'plugin', 'src')) ? join(dirname(HOST), '..') : null;
const KINDS = ['guard', 'provider', 'exporter'] as const;

/** Matches valid npm package names, with or without a scope. */
const PACKAGE_NAME = /^(@[a-z0-9-][a-z0-9-._]*\/)?[a-z0-9-][a-z0-9-._]*$/;
/** The real names of files that npm would not pack, or would read as its own. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'package.template.json': 'package.json' };

/** The plugin's type in a configuration: the package name without its scope and the usual prefix. */
function typeOf(name: string): string {
  return name.replace(/^@[^/]*\//, '').replace(/^svc-(guard|provider|exporter)-/, '');
}

/**
 * Creates a package with one plugin in a new folder, named like the package without its scope. It builds, and its test runs the conformance suite.
 * @returns the folder, and the command that installs its dependencies. In a clone, it takes the SDK from there, because the registry may not have it.
 */
export function newPlugin(kind: string, name: string): { readonly folder: string; readonly install: string } {
  if (!KINDS.some((known) => known === kind)) throw new CliError(`no template for ${kind}: use one of ${KINDS.join(', ')}`, 2);
  if (!PACKAGE_NAME.test(name))
    throw new CliError(`${name} is not a valid npm package name: use lower-case letters, digits and hyphens`, 2);
  const folder = resolve(name.replace(/^@[^/]*\//, ''));
  if (existsSync(folder)) throw new CliError(`${folder} already exists: choose another name`);
  if (CLONE !== null) buildTypes(CLONE);
  const { typebox } = JSON.parse(readFileSync(HOST, 'utf8')).dependencies;
  const values: Readonly<Record<string, string>> = { package: name, type: typeOf(name), sdk: `^${VERSION}`, typebox };
  mkdirSync(folder, { recursive: true });
  cpSync(join(TEMPLATES, kind), folder, { recursive: true });
  for (const item of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const file = join(item.parentPath, item.name);
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole),
    );
    const renamed = RENAMED[item.name];
    if (renamed !== undefined) renameSync(file, join(item.parentPath, renamed));
  }
  const install = CLONE === null ? 'npm install' : `npm install --no-save ${quoted(join(CLONE, 'sdk', 'plugin'))}`;
  return { folder, install };
}

/** Builds the types of the SDK and of the toolkit (the toolkit's project references the SDK's). A fresh clone contains only what is needed to run. */
function buildTypes(clone: string): void {
  const tsc = join(clone, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-b', 'sdk/toolkit'], { cwd: clone, stdio: 'ignore' });
  if (status !== 0)
    throw new CliError(`cannot build the types of the SDK: run npm run setup -- --include=dev in ${clone}, then try again`);
}
