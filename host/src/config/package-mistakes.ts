import { readFileSync, statSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { errorMessage } from '@svc/contracts';
import { PluginLoadError } from '@svc/kernel/plugins';
import { oneLine } from './one-line.ts';

/** Common mistakes of authors: what is wrong, and what to do. */
const MISTAKES = {
  typescript: [
    'it contains TypeScript, which Node does not load from packages',
    'build the package, and set "entry" in its package.json to a built file, such as ./dist/index.js',
  ],
  common_js: ['it is written in CommonJS', 'write import and export default, or build it as an ES module'],
  dependency_missing: [
    'a package that it imports is not installed',
    'list that package under dependencies in its package.json, and install it again',
  ],
  import_missing: [
    'it imports a file that does not exist',
    'build the package again; an import needs the whole file name, such as ./stream.js',
  ],
  export_missing: [
    'it imports a name that a module does not export',
    'install the release of that module that it was built for; for a CommonJS module, import the default export',
  ],
  no_default_export: [
    'its entry has no default export',
    'write export default before defineGuard, defineProvider or another define function',
  ],
} as const satisfies Record<string, readonly [what: string, remedy: string]>;

type Mistake = keyof typeof MISTAKES;
/** `mistake` null: the reason of the kernel says it, and needs only the detail. */
type Fault = readonly [mistake: Mistake | null, detail?: string];

/** Messages of Node. The first group of a pattern is the detail. */
const MESSAGES: readonly (readonly [RegExp, Mistake])[] = [
  [/^((?:module|exports|require|__dirname|__filename) is not defined)\b/, 'common_js'],
  [/^Cannot find package '([^']+)'/, 'dependency_missing'],
  [/^(?:Cannot find module|Directory import) '([^']+)'/, 'import_missing'],
  [/^(The requested module '[^']+' does not provide an export named '[^']+')/, 'export_missing'],
  [/^(Named export '[^']+' not found)\./, 'export_missing'],
];

/** A refusal with its mistake. Null: the reason is more exact. */
export class ExplainedRefusal extends PluginLoadError {
  readonly mistake: Mistake | null;

  constructor(error: PluginLoadError, [mistake, detail]: Fault) {
    super(error.reason, error, detail, error.cause, mistake === null ? undefined : MISTAKES[mistake]);
    this.mistake = mistake;
  }
}

/** The refusal of a package in words for its author. Other refusals are returned as they are. @param directory of the package */
export function explained(error: PluginLoadError, directory: string): PluginLoadError {
  const fault = faultIn(error, directory);
  return fault === null ? error : new ExplainedRefusal(error, fault);
}

function faultIn({ reason, file, cause }: PluginLoadError, directory: string): Fault | null {
  if (reason === 'entry_missing') return otherEntry(directory);
  if (reason === 'not_es_module') return entryFault(extname(file));
  if (reason === 'import_failed') return importFault(cause, directory);
  return reason === 'not_a_plugin' ? exportFault(Object(cause)) : null;
}

/** The file that the author may have meant as entry. */
function otherEntry(directory: string): Fault | null {
  const main = mainOf(directory);
  if (main === null || !statSync(join(directory, main), { throwIfNoEntry: false })?.isFile()) return null;
  return [null, `"main" of its package.json is ${oneLine(main)}: "entry" in the field svc must name it too`];
}

function mainOf(directory: string): string | null {
  try {
    const { main }: { main?: unknown } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    return typeof main === 'string' ? main : null;
  } catch {
    // Without it, the refusal has no detail.
    return null;
  }
}

function entryFault(extension: string): Fault {
  if (/^\.[cm]?tsx?$/.test(extension)) return ['typescript'];
  return [null, extension === '.js' ? 'no "type": "module" in its package.json' : `${extension} file`];
}

function importFault(error: unknown, directory: string): Fault | null {
  if (Object(error).code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') return ['typescript', 'in a file that it imports'];
  const message = oneLine(errorMessage(error, ''));
  for (const [pattern, mistake] of MESSAGES) {
    const [, detail] = pattern.exec(message) ?? [];
    if (detail !== undefined) return [mistake, detail.startsWith(directory) ? relative(directory, detail) : detail];
  }
  return null;
}

/** What an entry has instead of a plugin as its default export. Names are those of its exports. */
function exportFault(exported: Readonly<Record<string, unknown>>): Fault {
  const { default: given } = exported;
  const names = Object.keys(exported).filter((name) => name !== 'default');
  if (given === undefined)
    return ['no_default_export', names.length === 0 ? 'it exports nothing' : `it exports only ${oneLine(names.join(', '))}`];
  // What a compiler makes of `export default` in a CommonJS module.
  const isNested = typeof given === 'object' && given !== null && 'default' in given;
  return [null, isNested ? 'it is an object with a property named default' : `it is ${kindOf(given)}`];
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'function') return /^class\b/.test(Function.prototype.toString.call(value)) ? 'a class' : 'a function';
  return typeof value === 'object' ? 'an object that was not made by a define function' : `a ${typeof value}`;
}
