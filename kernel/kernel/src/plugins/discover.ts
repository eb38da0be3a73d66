import { realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { API_VERSION, isObject, type PluginKind, PluginManifest } from '@svc/contracts';
import { Value } from 'typebox/value';
import { findPackage, readPackageJson } from './package-json.ts';
import { pinOf } from './pin.ts';
import { PluginLoadError, type PluginLoadReason } from './plugin-load-error.ts';

/** A package.json whose direct dependencies are searched for plugins. */
export interface PluginRoot {
  readonly file: string;
  /** Whether it is the host's own package.json. Its plugins need no entry in the allow-list. */
  readonly builtIn: boolean;
}

/** Pins by package name (see {@link pinOf}). With an allow-list, only the packages in it and the host's own are loaded. */
export type AllowList = Readonly<Record<string, string>>;

export interface PluginEntry {
  /** The name in the root's dependencies. */
  readonly package: string;
  readonly version: string;
  /** Real folder of the package. */
  readonly directory: string;
  readonly kind: PluginKind;
  readonly type: string;
  /** Real path of the entry file. */
  readonly file: string;
  readonly builtIn: boolean;
  /** The package's pin, if the allow-list requires one. Absent if it does not. */
  readonly pin?: string;
}

/** `kind` and `type` are null if the manifest cannot be read at all. */
interface RefusedPlugin {
  readonly kind: PluginKind | null;
  readonly type: string | null;
  readonly directory: string;
  readonly builtIn: boolean;
  readonly error: PluginLoadError;
}

export interface PluginCatalogue {
  readonly entries: readonly PluginEntry[];
  readonly refused: readonly RefusedPlugin[];
}

interface Candidate {
  readonly name: string;
  readonly version: string;
  readonly directory: string;
  readonly svc: unknown;
  readonly builtIn: boolean;
  readonly forDevelopment: boolean;
}

const PACKAGE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;

/** Direct dependencies whose package.json has an `svc` field. A folder that several roots depend on counts only for the first root. */
function candidates(roots: readonly PluginRoot[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { file, builtIn } of roots) {
    const root = readPackageJson(file);
    if (root === null) throw new Error(`${file} is not a valid package.json: correct or remove it`);
    // Development dependencies are not installed in production. So a plugin among the operator's is refused, and one among the host's is ignored.
    const names = builtIn ? root.dependencies : [...root.dependencies, ...root.devDependencies];
    for (const name of names) {
      const directory = PACKAGE_NAME.test(name) ? findPackage(name, file) : null;
      const manifest = directory === null ? null : readPackageJson(join(directory, 'package.json'));
      if (directory === null || manifest?.svc === undefined || found.has(directory)) continue;
      const forDevelopment = !root.dependencies.includes(name);
      found.set(directory, { name, version: manifest.version, directory, svc: manifest.svc, builtIn, forDevelopment });
    }
  }
  return [...found.values()];
}

function placeOf({ name, version, directory }: Candidate, file = join(directory, 'package.json')) {
  return { package: name, version, file };
}

function manifestOf(candidate: Candidate): PluginManifest | PluginLoadError {
  const { svc } = candidate;
  const apiVersion = isObject(svc) ? svc.apiVersion : undefined;
  if (Number.isInteger(apiVersion) && apiVersion !== API_VERSION)
    return new PluginLoadError('wrong_api_version', placeOf(candidate), `${apiVersion}, expected ${API_VERSION}`);
  if (!Value.Check(PluginManifest, svc)) return new PluginLoadError('bad_manifest', placeOf(candidate));
  const names = new Set(svc.plugins.map(({ kind, type }) => `${kind} ${type}`));
  if (names.size < svc.plugins.length) return new PluginLoadError('bad_manifest', placeOf(candidate), 'it lists a plugin twice');
  return svc;
}

function requiredPin(name: string, allowList: AllowList = {}): string | undefined {
  return Object.hasOwn(allowList, name) ? allowList[name] : undefined;
}

/** Why no plugin of the package may be used; null if they may. */
function refusalOf(candidate: Candidate, allowList: AllowList | undefined): PluginLoadError | null {
  const { name, builtIn, directory } = candidate;
  const refuse = (reason: PluginLoadReason, detail?: string) => new PluginLoadError(reason, placeOf(candidate), detail);
  if (candidate.forDevelopment) return refuse('dev_dependency');
  if (allowList === undefined) return null;
  const pin = requiredPin(name, allowList);
  if (pin === undefined) return builtIn ? null : refuse('not_allowed');
  try {
    return pinOf(directory) === pin ? null : refuse('pin_mismatch');
  } catch (error) {
    return refuse('pin_mismatch', error instanceof Error ? error.message : undefined);
  }
}

/** Real path of the entry file. It must lie inside the package and outside its `node_modules`, which the pin does not cover. */
function entryFileOf(candidate: Candidate, entry: string): string | PluginLoadError {
  const file = join(candidate.directory, entry);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return new PluginLoadError('entry_missing', placeOf(candidate, file));
  const real = realpathSync(file);
  const inside = real.startsWith(candidate.directory + sep) && !real.startsWith(join(candidate.directory, 'node_modules') + sep);
  return inside ? real : new PluginLoadError('entry_outside', placeOf(candidate, file));
}

/** If several packages offer a plugin, all of them are refused, each with an error that names the others. */
function refuseDuplicates(entries: readonly PluginEntry[]): PluginCatalogue {
  const rivalsOf = (entry: PluginEntry) =>
    entries.filter((other) => other !== entry && other.kind === entry.kind && other.type === entry.type);
  return {
    entries: entries.filter((entry) => rivalsOf(entry).length === 0),
    refused: entries
      .filter((entry) => rivalsOf(entry).length > 0)
      .map((entry) => {
        const rivals = rivalsOf(entry).map((other) => `${other.package} ${other.version} in ${other.directory}`);
        const detail = `${entry.kind} ${entry.type}: ${rivals.join(', ')}`;
        return { ...entry, error: new PluginLoadError('duplicate_type', entry, detail) };
      }),
  };
}

/** Finds the plugins that may be loaded. Runs none of their code. @throws {Error} if a root's package.json cannot be read */
export function discoverPlugins(options: { roots: readonly PluginRoot[]; allowList?: AllowList | undefined }): PluginCatalogue {
  const entries: PluginEntry[] = [];
  const refused: RefusedPlugin[] = [];
  for (const candidate of candidates(options.roots)) {
    const { name, version, directory, builtIn } = candidate;
    const manifest = manifestOf(candidate);
    if (manifest instanceof PluginLoadError) {
      refused.push({ kind: null, type: null, directory, builtIn, error: manifest });
      continue;
    }
    const refusal = refusalOf(candidate, options.allowList);
    const pin = requiredPin(name, options.allowList);
    for (const { kind, type, entry } of manifest.plugins) {
      const file = refusal ?? entryFileOf(candidate, entry);
      if (file instanceof PluginLoadError) refused.push({ kind, type, directory, builtIn, error: file });
      else entries.push({ package: name, version, directory, kind, type, file, builtIn, ...(pin && { pin }) });
    }
  }
  const catalogue = refuseDuplicates(entries);
  return { entries: catalogue.entries, refused: [...refused, ...catalogue.refused] };
}

/** The plugin of this kind and type. Null if no package offers it. @throws {PluginLoadError} if all packages that offer it were refused */
export function findPlugin<K extends PluginKind>(
  catalogue: PluginCatalogue,
  kind: K,
  type: string,
): (PluginEntry & { kind: K }) | null {
  const isAsked = <P extends { kind: PluginKind | null; type: string | null }>(plugin: P): plugin is P & { kind: K } =>
    plugin.kind === kind && plugin.type === type;
  const entry = catalogue.entries.find(isAsked);
  if (entry !== undefined) return entry;
  const refused = catalogue.refused.find(isAsked);
  if (refused !== undefined) throw refused.error;
  return null;
}
