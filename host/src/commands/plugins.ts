import { readConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { GUARD_POOL } from '../compose/tokens.ts';
import { closeInstances, type PluginListing } from '../config/index.ts';
import { type RunsDb, runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { styled } from '../terminal/terminal.ts';
import { CONFIG_OPTION, readArguments, unknownCommand } from './arguments.ts';
import { newPlugin } from './plugins-new.ts';
import { pinPlugins } from './plugins-pin.ts';

/** `svc plugins list`, `svc plugins pin`, `svc plugins new KIND NAME`. */
export async function plugins(args: string[]): Promise<void> {
  const [command, ...rest] = args;
  switch (command) {
    case 'new':
      return create(rest);
    case 'list':
      return list(rest);
    case 'pin':
      return pin(rest);
    default:
      throw unknownCommand('plugins', command, [
        'svc plugins list',
        'svc plugins pin',
        'svc plugins new guard|provider|exporter NAME',
      ]);
  }
}

function create(args: string[]): void {
  const { positionals } = readArguments(args, {}, ['KIND', 'NAME']);
  const [kind = '', name = ''] = positionals;
  const { folder, install } = newPlugin(kind, name);
  process.stdout.write(`wrote ${folder}\nnext: cd ${folder} && ${install} && npm test\n`);
}

const OPTIONS = {
  config: CONFIG_OPTION,
  format: { type: 'string', default: 'text' },
  json: { type: 'boolean', default: false },
} as const;

/** Whether to print JSON. */
function asksJson({ format, json }: { readonly format: string; readonly json: boolean }): boolean {
  if (format !== 'text' && format !== 'json') throw new CliError('--format must be text or json', 2);
  return json || format === 'json';
}

/** `svc plugins pin [--config F] [--format text|json]`: pins the operator's own plugins in the configuration. */
function pin(args: string[]): void {
  const { values } = readArguments(args, OPTIONS);
  const json = asksJson(values);
  const pins = pinPlugins(values.config);
  if (json) process.stdout.write(`${JSON.stringify({ pins }, null, 2)}\n`);
  else if (pins.length === 0) process.stdout.write('nothing to pin: no third-party plugin packages are installed\n');
  else for (const { package: name, state } of pins) process.stdout.write(`${state.padEnd('unchanged'.length)}  ${name}\n`);
}

/**
 * `svc plugins list [--config F] [--runs-db DIR|URL] [--format text|json]`: lists used, unused and refused plugins, with the reasons and the pins.
 */
async function list(args: string[]): Promise<void> {
  const { values } = readArguments(args, { ...OPTIONS, 'runs-db': { type: 'string', default: 'runs-db' } });
  const json = asksJson(values);
  const host = newHost(silentLogger);
  const { config, plugins: listed, diagnostics } = await readConfiguration(values.config, false, host);
  if (config !== null) await closeInstances(config, silentLogger);
  await host.resolve(GUARD_POOL).close();
  const found = withStore(listed, runsDb(values['runs-db']));
  if (found.length === 0 && diagnostics.length > 0)
    throw new CliError(`cannot read ${values.config}; run svc lint for the reason`);
  process.stdout.write(json ? `${JSON.stringify({ plugins: found }, null, 2)}\n` : table(found));
}

/** --runs-db chooses the store, and not the configuration. */
function withStore(found: readonly PluginListing[], { type }: RunsDb): PluginListing[] {
  return found.map((plugin) =>
    plugin.kind === 'store' && plugin.type === type && plugin.state === 'unused' ? { ...plugin, state: 'used' } : plugin,
  );
}

function table(found: readonly PluginListing[]): string {
  const rows = found.map(({ state, kind, type, package: name, version, reason }) => [
    state,
    kind ?? '?',
    type ?? '?',
    `${name}@${version}`,
    reason ?? '',
  ]);
  const header = ['STATE', 'KIND', 'TYPE', 'PACKAGE', ''];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${[styled('bold', line(header)), ...rows.map((row) => inStyle(row[0] ?? '', line(row)))].join('\n')}\n`;
}

function inStyle(state: string, line: string): string {
  if (state === 'refused') return styled('red', line);
  return state === 'unused' ? styled('dim', line) : line;
}
