import { readConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { GUARD_POOL } from '../compose/tokens.ts';
import { closeInstances, type Diagnostic } from '../config/index.ts';
import { CliError } from '../errors/cli-error.ts';
import type { PriceOrigin } from '../prices/price-book.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { styled } from '../terminal/terminal.ts';
import { CONFIG_OPTION, readArguments } from './arguments.ts';
import { diagnosticLine } from './diagnostic-line.ts';

/** `svc lint [FILE] [--json]` (also `--config FILE`, `--format json`): prints errors and warnings. Exit code 1 if there is an error. */
export async function lint(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    {
      config: { type: 'string' },
      format: { type: 'string', default: 'text' },
      json: { type: 'boolean', default: false },
    },
    [],
    ['FILE'],
  );
  const [file] = positionals;
  if (file !== undefined && values.config !== undefined)
    throw new CliError('name the file only once, as FILE or with --config', 2);
  if (values.format !== 'text' && values.format !== 'json') throw new CliError('--format must be text or json', 2);
  const isJson = values.json || values.format === 'json';
  const { diagnostics, prices } = await diagnose(file ?? values.config ?? CONFIG_OPTION.default);
  process.stdout.write(
    isJson ? `${JSON.stringify({ diagnostics, ...(prices !== null && { prices }) }, null, 2)}\n` : asText(diagnostics, prices),
  );
  if (diagnostics.some(({ severity }) => severity === 'error')) process.exitCode = 1;
}

/** The findings in a configuration for which neither secrets nor a network are needed. */
interface Findings {
  readonly diagnostics: readonly Diagnostic[];
  /** The catalogue of prices. Null: there is none, or there is an error. */
  readonly prices: PriceOrigin | null;
}

export async function diagnose(file: string): Promise<Findings> {
  const host = newHost(silentLogger);
  const { config, diagnostics } = await readConfiguration(file, false, host);
  if (config !== null) await closeInstances(config, silentLogger);
  await host.resolve(GUARD_POOL).close();
  return { diagnostics, prices: config?.prices?.origin ?? null };
}

function asText(diagnostics: readonly Diagnostic[], prices: PriceOrigin | null): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const lines = diagnostics.map((diagnostic) => diagnosticLine(diagnostic));
  const summary = `${counted(errors, 'error')}, ${counted(diagnostics.length - errors, 'warning')}`;
  if (prices !== null) lines.push(`prices: ${prices.catalogue} ${prices.version}`);
  return `${[...lines, styled(errors === 0 ? 'green' : 'red', summary)].join('\n')}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
