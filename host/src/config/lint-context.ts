import type { Static } from 'typebox';
import type { PriceBook } from '../prices/price-book.ts';
import type { AuthKeySchema } from './auth-keys.ts';
import type { Groups } from './groups.ts';
import type { OidcIssuer } from './oidc-issuers.ts';
import type { Pack, PackNode } from './packs-section.ts';
import type { PasskeySettings } from './passkeys-section.ts';
import type { ProviderSchema } from './providers-section.ts';
import type { Report } from './report.ts';
import type { Route } from './routes-section.ts';
import type { Section } from './sections.ts';

/** The data that lint rules use besides the route. */
export interface LintContext {
  readonly report: Report;
  readonly providers: Section<Static<typeof ProviderSchema>>;
  readonly packs: Section<Pack>;
  readonly routes: Section<Route>;
  /** The packs whose guard could be created. */
  readonly nodes: ReadonlyMap<string, PackNode>;
  /** Where callers' questions are sent for retrieval. Null: they do not leave the gateway. */
  readonly embedder: { readonly region: string | null } | null;
  /** Null: the configuration has no prices. */
  readonly prices: PriceBook | null;
  readonly keys: readonly Static<typeof AuthKeySchema>[];
  readonly issuers: readonly OidcIssuer[];
  /** Principals of each group of approvers. */
  readonly groups: Groups;
  /** How long a paused run waits; null: the section `approvals` has errors. */
  readonly expire_after_ms: number | null;
  /** Null: not configured. */
  readonly passkeys: PasskeySettings | null;
}
