import { type Exporter, isObject, nodeSettingsOf } from '@svc/contracts';
import { createPlugin, type PluginFactoryContext } from './create-plugin.ts';
import { offersExporter } from './lint-exporters.ts';
import { OpenedNamespaces } from './opened-namespaces.ts';
import type { Secrets } from './resolve-secrets.ts';
import type { ExporterNode, PackNode, ProviderNode } from './resolved.ts';
import type { Config } from './schema.ts';
import type { Section } from './sections.ts';

type Making = PluginFactoryContext & { secrets: Secrets };
/** The nodes of the configuration in force, by name: their instances are kept where nothing that they are made of has changed. */
type Former<N> = ReadonlyMap<string, N> | undefined;

/** The providers that could be created; errors of the others are reported. Sequential, so that reports keep their order. */
export async function makeProviders(
  section: Section<Config['providers'][string]>,
  making: Making,
  former?: Former<ProviderNode>,
): Promise<Map<string, ProviderNode>> {
  const made = new Map<string, ProviderNode>();
  for (const [name, provider] of section.repaired) {
    if (!isObject(provider)) continue;
    const created = await createPlugin('provider', name, provider, ['providers', name], making, former?.get(name));
    if (created === null) continue;
    const { type, region = null, developer = type } = provider;
    const { timeout_ms, first_chunk_timeout_ms = timeout_ms, idle_timeout_ms, stream_timeout_ms } = provider;
    const timeouts = { timeout_ms, first_chunk_timeout_ms, idle_timeout_ms, stream_timeout_ms };
    made.set(name, { ...created, name, region, developer, timeouts });
  }
  return made;
}

/** The packs whose guard could be created. */
export async function makePacks(
  section: Section<Config['packs'][string]>,
  making: Making,
  former?: Former<PackNode>,
): Promise<Map<string, PackNode>> {
  const made = new Map<string, PackNode>();
  const opened = new OpenedNamespaces();
  const { guard: guardDeps } = making.depsFor;
  const guard: typeof guardDeps = (name, directory) => opened.watching(name, guardDeps(name, directory));
  const watched = { ...making, depsFor: { ...making.depsFor, guard } };
  for (const [name, pack] of section.repaired) {
    if (!isObject(pack)) continue;
    const before = former?.get(name);
    const kept = before && { ...before, instance: before.guard };
    const created = await createPlugin('guard', name, pack, ['packs', name], watched, kept);
    const taken = opened.take(name);
    if (created === null) continue;
    const { instance: guard, ...origin } = created;
    const namespaces = guard === before?.guard ? before.namespaces : taken;
    made.set(name, { ...origin, name, guard, namespaces, ...nodeSettingsOf(pack) });
  }
  return made;
}

/** The exporters that could be created. Types that are not installed are reported by lint, as SVC-POL-006. */
export async function makeExporters(
  section: Section<Config['exporters'][number]>,
  making: Making,
): Promise<Map<string, ExporterNode>> {
  const made = new Map<string, ExporterNode>();
  const taken = new Map<string, string>();
  for (const [position, exporter] of section.repaired) {
    if (!isObject(exporter)) continue;
    const { type, name = type, from } = exporter;
    const path = ['exporters', Number(position)];
    if (!offersExporter(making.catalogue, type)) continue;
    if (made.has(name)) {
      making.report.error('SVC-POL-001', path, `two exporters are named ${name}: names must be unique`);
      continue;
    }
    const created = await createPlugin('exporter', name, exporter, path, making);
    if (created === null) continue;
    const destinations = destinationsOf(created.instance);
    const other = destinations.flatMap((destination) => taken.get(destination) ?? [])[0];
    if (other !== undefined)
      making.report.error('SVC-POL-001', path, `the exporters ${other} and ${name} write to the same place`);
    for (const destination of destinations) taken.set(destination, name);
    made.set(name, { ...created, name, from });
  }
  return made;
}

/** An operator's exporter may return anything. */
function destinationsOf({ destinations, operations }: Exporter): readonly string[] {
  const own = Array.isArray(destinations) ? destinations.filter((one) => typeof one === 'string') : [];
  return isObject(operations) ? [...own, ...destinationsOf(operations)] : own;
}
