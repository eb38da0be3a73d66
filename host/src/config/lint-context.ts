import type { Static } from 'typebox';
import type { Report } from './report.ts';
import type { PackNode } from './resolved.ts';
import type { AuthKeySchema, Pack, ProviderSchema, Route } from './schema.ts';
import type { Section } from './sections.ts';

/** What the rules of lint look at beside the route itself. */
export interface LintContext {
  readonly report: Report;
  readonly providers: Section<Static<typeof ProviderSchema>>;
  readonly packs: Section<Pack>;
  readonly routes: Section<Route>;
  /** The packs whose guard could be made. */
  readonly nodes: ReadonlyMap<string, PackNode>;
  /** Where what callers ask is sent to find documents by; null: it does not leave the gateway. */
  readonly embedder: { readonly region: string | null } | null;
  readonly keys: readonly Static<typeof AuthKeySchema>[];
}
