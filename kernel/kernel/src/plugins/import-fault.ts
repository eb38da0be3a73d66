import { relative } from 'node:path';
import { errorMessage } from '@svc/contracts';
import type { PluginEntry } from './discover.ts';
import type { PluginLoadReason } from './plugin-load-error.ts';

type Fault = readonly [reason: PluginLoadReason, detail: string];

/** Messages of Node for common mistakes. The first group of a pattern is the detail. */
const MISTAKES: readonly (readonly [RegExp, PluginLoadReason])[] = [
  [/^((?:module|exports|require|__dirname|__filename) is not defined)\b/, 'common_js'],
  [/^Cannot find package '([^']+)'/, 'dependency_missing'],
  [/^(?:Cannot find module|Directory import) '([^']+)'/, 'import_missing'],
  [/^(The requested module '[^']+' does not provide an export named '[^']+')/, 'export_missing'],
  [/^(Named export '[^']+' not found)\./, 'export_missing'],
];

/** Why a module could not be imported, in one line: a mistake that authors often make, or the message of its error. */
export function importFault(error: unknown, { directory }: Pick<PluginEntry, 'directory'>): Fault {
  const message = oneLine(error);
  if (error instanceof Error && 'code' in error && error.code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return ['typescript', 'in a file that it imports'];
  for (const [pattern, reason] of MISTAKES) {
    const [, detail] = pattern.exec(message) ?? [];
    if (detail !== undefined) return [reason, detail.startsWith(directory) ? relative(directory, detail) : detail];
  }
  return ['import_failed', message];
}

/** What an entry has instead of a plugin as its default export. Names are those of its exports. */
export function exportFault(exported: Readonly<Record<string, unknown>>): Fault {
  const { default: given } = exported;
  const names = Object.keys(exported).filter((name) => name !== 'default');
  if (given === undefined)
    return ['no_default_export', names.length === 0 ? 'it exports nothing' : `it exports only ${oneLine(names.join(', '))}`];
  // What a compiler makes of `export default` in a CommonJS module.
  const isNested = typeof given === 'object' && given !== null && 'default' in given;
  return ['not_a_plugin', isNested ? 'it is an object with a default of its own' : `it is ${kindOf(given)}`];
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'function') return /^class\b/.test(Function.prototype.toString.call(value)) ? 'a class' : 'a function';
  return typeof value === 'object' ? 'an object that no define function made' : `a ${typeof value}`;
}

/** The first line of an error that a module threw, shortened and without control characters. */
function oneLine(error: unknown): string {
  const text = errorMessage(error, String(error));
  return (text.split('\n', 1)[0] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, 200);
}
