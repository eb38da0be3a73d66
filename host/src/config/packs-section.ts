import { type Guard, isObject, NodeSettings, nodeSettingsOf } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { createPlugin, type Origin } from './create-plugin.ts';
import { lintDropped } from './lint-dropped.ts';
import { OpenedNamespaces } from './opened-namespaces.ts';
import type { Reader } from './reader.ts';

export const PackSchema = Type.Object(
  {
    type: Type.Optional(Type.String({ minLength: 1, description: 'Guard plugin. Default: the key of this section.' })),
    ...NodeSettings.properties,
  },
  {
    additionalProperties: true,
    description: 'An enabled guard; its key is the name that pipelines use. All other keys are options of the plugin.',
  },
);
export type Pack = Static<typeof PackSchema>;

export interface PackNode extends Origin, NodeSettings {
  /** The pack's key in `packs`. */
  readonly name: string;
  readonly guard: Guard;
  /** RAG namespaces that the guard opened. */
  readonly namespaces: readonly string[];
}

/** The section `packs`. */
export interface PacksPart {
  readonly packs: ReadonlyMap<string, PackNode>;
}

/** Creates the guards. Errors are reported. */
export const readPacks: Reader<PacksPart> = async (_, context) => {
  const { entries, former, incomplete, report } = context;
  const packs = new Map<string, PackNode>();
  const opened = new OpenedNamespaces();
  const { guard: guardDeps } = context.depsFor;
  const guard: typeof guardDeps = (name, directory) => opened.watching(name, guardDeps(name, directory));
  const watched = { ...context, depsFor: { ...context.depsFor, guard } };
  for (const [name, pack] of entries.packs.repaired) {
    if (!isObject(pack)) continue;
    const before = former?.packs.get(name);
    const kept = before && { ...before, instance: before.guard };
    const created = await createPlugin('guard', name, pack, ['packs', name], watched, kept);
    const taken = opened.take(name);
    if (created === null) continue;
    const { instance: guard, ...origin } = created;
    const namespaces = guard === before?.guard ? before.namespaces : taken;
    packs.set(name, { ...origin, name, guard, namespaces, ...nodeSettingsOf(pack) });
  }
  if (packs.size < entries.packs.names.length) incomplete.add('packs');
  lintDropped({ report, nodes: packs });
  return { packs };
};
