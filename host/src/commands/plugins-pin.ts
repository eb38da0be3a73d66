import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { discoverPlugins, nearestPackageJson, pinOf } from '@svc/kernel/plugins';
import { type Document, isMap, isNode, isScalar, parseDocument, stringify } from 'yaml';
import { CliError } from '../errors/cli-error.ts';

/** The change to a package's entry in the allow-list. */
export interface Pin {
  readonly package: string;
  readonly state: 'added' | 'changed' | 'unchanged' | 'removed';
}

/** The pins of the operator's own plugin packages, by name. */
function pinsBeside(config: string): Map<string, string> {
  const file = nearestPackageJson(dirname(config));
  if (file === null) throw new CliError(`nothing to pin: there is no package.json next to ${config} or above it`);
  // Discovers without the allow-list, because the pins are those of the packages installed now.
  const { entries } = discoverPlugins({ roots: [{ file, builtIn: false }] });
  return new Map(entries.map((entry) => [entry.package, pinOf(entry.directory)]));
}

function stateOf(before: unknown, now: string): Pin['state'] {
  if (before === undefined) return 'added';
  return before === now ? 'unchanged' : 'changed';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The file with a new `plugins:` section. In block style, nothing else changes, not even spacing. */
function withPins(text: string, document: Document.Parsed, pins: ReadonlyMap<string, string>): string {
  const root = document.contents;
  if (!isMap(root) || root.flow === true) {
    document.set('plugins', Object.fromEntries(pins));
    return isJson(text) ? `${JSON.stringify(document, null, 2)}\n` : document.toString({ lineWidth: 0 });
  }
  const section = stringify({ plugins: Object.fromEntries(pins) }, { lineWidth: 0 });
  const pair = root.items.find(({ key }) => isScalar(key) && key.value === 'plugins');
  const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  const end = isNode(pair?.value) ? pair.value.range?.[2] : undefined;
  if (start === undefined || end === undefined) return `${text.replace(/\n*$/, '\n')}${section}`;
  return text.slice(0, start) + section + text.slice(end);
}

/**
 * Writes the pins of all installed plugin packages into the configuration's `plugins:`, and removes pins of other packages. Everything else in the
 * file stays as it is, including comments.
 */
export function pinPlugins(file: string): Pin[] {
  const config = resolve(file);
  const text = readConfig(config);
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isMap(document.contents))
    throw new CliError(`cannot read ${file}; run svc lint for the reason`);
  const written: unknown = document.toJS().plugins ?? {};
  if (typeof written !== 'object' || written === null)
    throw new CliError(`the section plugins in ${file} is not a map of packages to pins`);
  const before = new Map<string, unknown>(Object.entries(written));
  const pins = pinsBeside(config);
  const done: Pin[] = [...pins].map(([name, pin]) => ({ package: name, state: stateOf(before.get(name), pin) }));
  for (const name of before.keys()) if (!pins.has(name)) done.push({ package: name, state: 'removed' });
  if (done.some(({ state }) => state !== 'unchanged')) replace(config, withPins(text, document, pins));
  return done;
}

function readConfig(config: string): string {
  try {
    return readFileSync(config, 'utf8');
  } catch {
    throw new CliError(`cannot read ${config}: svc init --config ${config} creates one`);
  }
}

/** Replaces the file atomically, because a server may read it at any moment. A link stays a link, and permissions are kept. */
function replace(named: string, text: string): void {
  const file = realpathSync(named);
  writeFileSync(`${file}.new`, text, { mode: statSync(file).mode });
  renameSync(`${file}.new`, file);
}
