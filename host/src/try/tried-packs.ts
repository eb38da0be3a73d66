import { existsSync } from 'node:fs';
import { isObject, type JsonObject } from '@svc/contracts';
import { findPlugin } from '@svc/kernel/plugins';
import { type Protocols, protocolsWith } from '@svc/protocols';
import { Value } from 'typebox/value';
import { usableConfiguration } from '../compose/configuration.ts';
import type { Container } from '../compose/container.ts';
import { closeInstances } from '../config/index.ts';
import { loadPlugin } from '../config/load-plugin.ts';
import type { PackNode } from '../config/packs-section.ts';
import type { ResolvedConfig } from '../config/resolved.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { canScan, type Scanning, startGuard } from './guard-work.ts';

const FILE = 'svc.yaml';
/** The guards that are tried without a configuration. */
const USUAL = {
  providers: { local: { type: 'echo' } },
  packs: { pii: {}, secrets: {}, injection: {} },
  routes: { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['pii', 'secrets', 'injection'], egress: [] } } },
};

/** A pack, perhaps with another threshold than in the configuration. */
export interface TriedPack {
  readonly name: string;
  readonly node: Omit<PackNode, 'guard'> & { readonly guard: Scanning };
  /** Null if its guard has no option `threshold`. */
  readonly threshold: number | null;
}

export interface Asked {
  /** Undefined: `svc.yaml` if there is one. */
  readonly config: string | undefined;
  /** Empty: all that can be tried. */
  readonly packs: readonly string[];
  /** Thresholds to compare, by pack. */
  readonly thresholds: ReadonlyMap<string, readonly number[]>;
}

export interface TriedPacks {
  /** In the order of the configuration. The thresholds of a pack are beside each other. */
  readonly packs: readonly TriedPack[];
  /** Names of packs that find nothing in a text, or need a service. */
  readonly others: readonly string[];
  readonly protocols: Protocols;
  /** Path of the configuration. Null: there is none. */
  readonly file: string | null;
  close(): Promise<void>;
}

/** Creates and starts the guards. @throws {CliError} */
export async function openPacks(asked: Asked, host: Container): Promise<TriedPacks> {
  const opened: ResolvedConfig[] = [];
  const close = async (): Promise<void> => {
    for (const config of opened) await closeInstances(config, silentLogger);
  };
  try {
    const file = asked.config ?? (existsSync(FILE) ? FILE : null);
    const open = async (content: object | null): Promise<ResolvedConfig> => {
      const bytes = content === null ? undefined : Buffer.from(JSON.stringify(content));
      const config = await usableConfiguration(file ?? FILE, host, bytes);
      opened.push(config);
      return config;
    };
    const base = await open(file === null ? USUAL : null);
    const names = chosen(base, asked);
    const packs: TriedPack[] = [];
    for (const name of names) {
      const compared = asked.thresholds.get(name);
      if (compared === undefined) packs.push({ name, node: nodeOf(base, name), threshold: await thresholdOf(base, name) });
      for (const threshold of compared ?? []) {
        packs.push({ name, node: nodeOf(await open(withThreshold(base, name, threshold)), name), threshold });
      }
    }
    for (const { node } of packs) await startGuard(node);
    const others = [...base.packs.keys()].filter((name) => !canScan(nodeIn(base, name).guard));
    return { packs, others, protocols: protocolsWith(base.protocols.map(({ protocol }) => protocol)), file, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function chosen({ packs }: ResolvedConfig, asked: Asked): readonly string[] {
  const able = [...packs.values()].filter(({ guard }) => canScan(guard)).map(({ name }) => name);
  const use = able.length === 0 ? 'the configuration has no pack that can' : `use one of ${able.join(', ')}`;
  for (const name of [...asked.packs, ...asked.thresholds.keys()]) {
    if (!packs.has(name)) throw new CliError(`unknown pack ${name}; ${use}`);
    if (!able.includes(name)) throw new CliError(`pack ${name} cannot be tried on texts; ${use}`);
  }
  const names = able.filter((name) => asked.packs.length === 0 || asked.packs.includes(name) || asked.thresholds.has(name));
  if (names.length === 0) throw new CliError('the configuration has no pack that can be tried on texts');
  return names;
}

function nodeIn({ packs }: ResolvedConfig, name: string): PackNode {
  const node = packs.get(name);
  if (node === undefined) throw new Error(`the pack ${name} is gone`);
  return node;
}

function nodeOf(config: ResolvedConfig, name: string): TriedPack['node'] {
  const { guard, ...node } = nodeIn(config, name);
  if (!canScan(guard)) throw new Error(`the pack ${name} cannot scan`);
  return { ...node, guard };
}

/** The whole configuration, so that a threshold is checked as in the file. */
function withThreshold({ sections }: ResolvedConfig, name: string, threshold: number): JsonObject {
  const packs = isObject(sections.packs) ? sections.packs : {};
  const pack = isObject(packs[name]) ? packs[name] : {};
  return { ...sections, packs: { ...packs, [name]: { ...pack, threshold } } } as JsonObject;
}

/** The threshold of the file, or the guard's default. */
async function thresholdOf({ sections, catalogue, packs }: ResolvedConfig, name: string): Promise<number | null> {
  const own = isObject(sections.packs) && isObject(sections.packs[name]) ? sections.packs[name].threshold : undefined;
  if (typeof own === 'number') return own;
  const entry = findPlugin(catalogue, 'guard', packs.get(name)?.type ?? '');
  const defaults: unknown = entry === null ? {} : Value.Default((await loadPlugin(entry)).options, {});
  return isObject(defaults) && typeof defaults.threshold === 'number' ? defaults.threshold : null;
}
