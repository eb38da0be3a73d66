import type { JsonObject } from '@svc/contracts';
import type { Static } from 'typebox';
import type { AuthKeySchema } from './auth-keys.ts';
import type { PluginFactoryContext } from './create-plugin.ts';
import type { PackSchema } from './packs-section.ts';
import type { ProviderSchema } from './providers-section.ts';
import type { SecretContext } from './resolve-secrets.ts';
import type { ResolvedConfig } from './resolved.ts';
import type { Route } from './routes-section.ts';
import type { Section } from './sections.ts';

/** The entries of the file that other sections refer to. */
export interface Entries {
  readonly keys: Section<Static<typeof AuthKeySchema>>;
  readonly providers: Section<Static<typeof ProviderSchema>>;
  readonly packs: Section<Static<typeof PackSchema>>;
  readonly routes: Section<Route>;
}

/** The context of a reader. */
export interface ReadContext extends PluginFactoryContext, SecretContext {
  readonly entries: Entries;
  /** The active configuration, which the new one is to replace. Undefined at start, and if a change of the section requires a restart. */
  readonly former: ResolvedConfig | undefined;
  /** The results of the sections above this one. */
  readonly parts: Partial<ResolvedConfig>;
  /** Sections that lint can use but a gateway cannot. */
  readonly incomplete: Set<keyof ResolvedConfig>;
}

/** Reads a section of the file, with defaults. Null if the section is invalid, which is reported. */
export type Reader<Part extends Partial<ResolvedConfig>> = (
  section: JsonObject[string] | undefined,
  context: ReadContext,
) => Promise<Part | null> | Part | null;
