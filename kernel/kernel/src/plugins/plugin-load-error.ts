import { OPTIONS_FAULT } from '@svc/contracts';

const REASONS = {
  bad_manifest: [
    'the "svc" field of its package.json is not a plugin manifest',
    'install another release, or remove the package',
  ],
  wrong_api_version: ['it is written for another version of the plugin contracts', 'install a release for this gateway'],
  entry_missing: ['its entry file does not exist', 'build the package or install it again'],
  entry_outside: ['its entry file is not inside the package', 'remove the package'],
  duplicate_type: ['another package provides the same plugin', 'remove one of the two'],
  dev_dependency: ['it is listed under devDependencies', 'move it to dependencies'],
  not_allowed: ['it is not in the allow-list (the section plugins)', 'add it with svc plugins pin, or remove it'],
  pin_mismatch: [
    'its content does not match its pin in the allow-list (the section plugins)',
    'find out what changed, then install the pinned content or run svc plugins pin',
  ],
  not_es_module: ['its entry is not an ES module', 'use .mjs, or "type": "module" in its package.json'],
  import_failed: ['the import failed', 'install it again with its dependencies, or ask its author'],
  import_timeout: ['the import did not finish in time', 'ask its author: a plugin must not do work when it is imported'],
  loaded_before: ['this process has already loaded another version of it', 'restart the gateway'],
  not_a_plugin: [
    'its default export is not a plugin',
    'export the result of defineGuard, defineProvider or another define function as default',
  ],
  manifest_mismatch: ['its default export does not match its manifest', 'use the same kind, type and apiVersion in both'],
  bad_options_schema: OPTIONS_FAULT,
  no_create: ['it has no create function', 'ask its author for a release with a create function'],
} as const satisfies Record<string, Words>;

type Words = readonly [what: string, remedy: string];
export type PluginLoadReason = keyof typeof REASONS;

/** A package, and the file in it that is at fault. */
interface PluginPlace {
  readonly package: string;
  readonly version: string;
  readonly file: string;
}

/** Why a plugin package, or one of its plugins, is not used. `message` is one line with package, version, file and remedy. */
export class PluginLoadError extends Error {
  override readonly name = 'PluginLoadError';
  readonly package: string;
  readonly version: string;
  readonly file: string;
  readonly reason: PluginLoadReason;
  readonly remedy: string;

  constructor(reason: PluginLoadReason, place: PluginPlace, detail?: string, cause?: unknown, words: Words = REASONS[reason]) {
    const [what, remedy] = words;
    super(`${place.package} ${place.version} (${place.file}): ${what}${detail === undefined ? '' : ` (${detail})`}; ${remedy}`, {
      cause,
    });
    this.package = place.package;
    this.version = place.version;
    this.file = place.file;
    this.reason = reason;
    this.remedy = remedy;
  }
}
