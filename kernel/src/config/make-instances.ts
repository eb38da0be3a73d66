import { createPlugin, type Workshop } from './create-plugin.ts';
import { isObject } from './json-shape.ts';
import type { Secrets } from './resolve-secrets.ts';
import type { PackNode, ProviderNode } from './resolved.ts';
import type { Config } from './schema.ts';
import type { Section } from './sections.ts';

type Making = Workshop & { secrets: Secrets };

/** The providers that could be made; what is wrong with the others is reported. One after the other, so that reports keep their order. */
export async function makeProviders(
  section: Section<Config['providers'][string]>,
  making: Making,
): Promise<Map<string, ProviderNode>> {
  const made = new Map<string, ProviderNode>();
  for (const [name, provider] of section.mended) {
    if (!isObject(provider)) continue;
    const created = await createPlugin('provider', name, provider, ['providers', name], making);
    if (created === null) continue;
    const { type, region = null, developer = type, timeout_ms } = provider;
    made.set(name, { ...created, name, region, developer, timeout_ms });
  }
  return made;
}

/** The packs whose guard could be made. */
export async function makePacks(section: Section<Config['packs'][string]>, making: Making): Promise<Map<string, PackNode>> {
  const made = new Map<string, PackNode>();
  for (const [name, pack] of section.mended) {
    if (!isObject(pack)) continue;
    const created = await createPlugin('guard', name, pack, ['packs', name], making);
    if (created === null) continue;
    const { instance: guard, ...origin } = created;
    const { timeout_ms, on_error, mode, scope } = pack;
    made.set(name, { ...origin, name, guard, timeout_ms, on_error, mode, scope });
  }
  return made;
}
