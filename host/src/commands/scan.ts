import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { findPlugin } from '@svc/kernel/plugins';
import type { GuardPool } from '@svc/kernel/workers';
import { Value } from 'typebox/value';
import { ownPlugins, usableConfiguration } from '../compose/configuration.ts';
import type { Container } from '../compose/container.ts';
import { newHost } from '../compose/host.ts';
import { GUARD_POOL, PLUGIN_DEPS } from '../compose/tokens.ts';
import { closeInstances } from '../config/index.ts';
import { loadPlugin } from '../config/load-plugin.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { canScan, type Scanning, workIn } from '../try/guard-work.ts';
import { CONFIG_OPTION, readArguments } from './arguments.ts';
import { linesFrom } from './text-lines.ts';

const DEFAULT_TYPE = 'pii';
/** Generous, because the scanner serves no other requests. */
const SCAN_TIMEOUT_MS = 60_000;

/**
 * `svc scan [--config F] [--pack NAME]`: shows what a pack finds in texts and how it edits them. Reads JSON lines `{"text"}` and writes a line
 * `{"findings","sanitized"}` for each. An invalid line is reported by its number, and the others are scanned. Without a name, it uses the only pack
 * of type `pii`, or else the only one with `scan`. Without a configuration or such a pack, it uses `pii` with its defaults.
 */
export async function scan(args: string[]): Promise<void> {
  const { values } = readArguments(args, { config: { type: 'string' }, pack: { type: 'string' } });
  const host = newHost(silentLogger);
  const { guard, close } = await guardFor(values, host);
  try {
    await guard.start?.();
    await scanLines(guard, host.resolve(GUARD_POOL));
  } finally {
    await close();
    await host.resolve(GUARD_POOL).close();
  }
}

interface Chosen {
  readonly guard: Scanning;
  close(): Promise<void>;
}

async function guardFor(values: { config?: string | undefined; pack?: string | undefined }, host: Container): Promise<Chosen> {
  const file = values.config ?? (values.pack !== undefined || existsSync(CONFIG_OPTION.default) ? CONFIG_OPTION.default : null);
  return (file === null ? null : await configuredGuard(file, values.pack, host)) ?? (await defaultGuard(host));
}

/** The pack with that name, or the default one. Null if no pack can scan. */
async function configuredGuard(file: string, name: string | undefined, host: Container): Promise<Chosen | null> {
  const config = await usableConfiguration(file, host);
  const close = (): Promise<void> => closeInstances(config, silentLogger);
  try {
    const able = [...config.packs.values()].flatMap((pack) =>
      canScan(pack.guard) ? [{ name: pack.name, type: pack.type, guard: pack.guard }] : [],
    );
    const usual = able.filter(({ type }) => type === DEFAULT_TYPE);
    const unnamed = usual.length > 0 ? usual : able;
    const named = name === undefined ? unnamed : able.filter((pack) => pack.name === name);
    if (named.length > 1)
      throw new CliError(`several packs can scan text: choose one with --pack ${named.map((pack) => pack.name).join(' or ')}`, 2);
    const [chosen] = named;
    if (chosen !== undefined) return { guard: chosen.guard, close };
    if (name !== undefined)
      throw new CliError(
        whyNot(
          name,
          config.packs.has(name),
          able.map((pack) => pack.name),
        ),
      );
  } catch (refusal) {
    await close();
    throw refusal;
  }
  await close();
  return null;
}

function whyNot(name: string, exists: boolean, able: readonly string[]): string {
  const others = able.length === 0 ? 'the configuration has no pack that can' : `use one of ${able.join(', ')}`;
  return exists ? `pack ${name} cannot scan text; ${others}` : `unknown pack ${name}; ${others}`;
}

async function defaultGuard(host: Container): Promise<Chosen> {
  const entry = findPlugin(ownPlugins(), 'guard', DEFAULT_TYPE);
  if (entry === null) throw new CliError(`the guard ${DEFAULT_TYPE} is not installed`);
  const definition = await loadPlugin(entry);
  const options: unknown = Value.Default(definition.options, {});
  Value.Assert(definition.options, options);
  const guard = definition.create(options, host.resolve(PLUGIN_DEPS).guard(DEFAULT_TYPE, process.cwd()));
  if (!canScan(guard)) throw new CliError(`the guard ${DEFAULT_TYPE} cannot scan text`);
  return { guard, close: async () => guard.close?.() };
}

async function scanLines(guard: Scanning, workers: GuardPool): Promise<void> {
  const heavy = workIn(workers, () => AbortSignal.timeout(SCAN_TIMEOUT_MS));
  let number = 0;
  for await (const line of linesFrom(process.stdin.setEncoding('utf8'))) {
    number += 1;
    if (line.trim() === '') continue;
    const text = textOf(line);
    if (text === null) {
      // Does not print the line itself: it may be sensitive.
      process.stderr.write(`line ${number} of the input is not {"text": "…"}\n`);
      process.exitCode = 1;
      continue;
    }
    const result = await guard.scan(text, heavy);
    if (!process.stdout.write(`${JSON.stringify(result)}\n`)) await once(process.stdout, 'drain');
  }
}

function textOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : null;
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}
