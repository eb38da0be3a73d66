import { base64Of, canonicalJson } from '@svc/ledger';
import type { ResolvedConfig } from '../config/index.ts';
import type { ReloadResult } from '../http/schemas.ts';

type Change = ReloadResult['changes'][number];

/** In the order of the sections, and of the names in the newer configuration; removed entries come last. Changed secret values count. */
export function changesBetween(before: ResolvedConfig, after: ResolvedConfig): Change[] {
  return [
    ...compared('auth.keys', keysOf(before), keysOf(after)),
    ...compared('auth.oidc', issuersOf(before), issuersOf(after)),
    ...compared('auth.passkeys', passkeysOf(before), passkeysOf(after)),
    ...compared('auth.session', new Map([['session', before.session]]), new Map([['session', after.session]])),
    ...compared('secrets', before.backend_fingerprints, after.backend_fingerprints),
    ...compared('limits', limitsOf(before), limitsOf(after)),
    ...compared('providers', instancesOf(before, 'providers'), instancesOf(after, 'providers')),
    ...compared('packs', instancesOf(before, 'packs'), instancesOf(after, 'packs')),
    ...compared('prices', pricesOf(before), pricesOf(after)),
    ...compared('routes', before.routes, after.routes),
    ...compared('ledger.signing_keys', signingKeysOf(before), signingKeysOf(after)),
  ];
}

function compared(
  section: Change['section'],
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): Change[] {
  const isSame = (name: string): boolean =>
    canonicalJson({ entry: before.get(name) }) === canonicalJson({ entry: after.get(name) });
  const present = [...after.keys()].filter((name) => !before.has(name) || !isSame(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...present.map((name): Change => ({ section, name, change: before.has(name) ? 'changed' : 'added' })),
    ...removed.map((name): Change => ({ section, name, change: 'removed' })),
  ];
}

/** The keys of each principal, taken together. */
function keysOf({ keys }: ResolvedConfig): Map<string, unknown> {
  return Map.groupBy(keys, ({ principal_id }) => principal_id);
}

function issuersOf({ issuers }: ResolvedConfig): Map<string, unknown> {
  return new Map(issuers.map((settings) => [settings.issuer, settings]));
}

function passkeysOf({ passkeys }: ResolvedConfig): Map<string, unknown> {
  return new Map(passkeys === null ? [] : [['passkeys', passkeys]]);
}

/** The public keys, in their order. They count as a single entry. */
function signingKeysOf({ ledger: { signing_keys } }: ResolvedConfig): Map<string, unknown> {
  return new Map([['signing_keys', signing_keys.map(({ public_key }) => base64Of(public_key))]]);
}

function limitsOf({ limits }: ResolvedConfig): Map<string, unknown> {
  return new Map(limits.map((limit) => [`${limit.subject} ${limit.name}`, limit]));
}

/** The section counts as a single entry. */
function pricesOf({ sections: { prices } }: ResolvedConfig): Map<string, unknown> {
  return new Map(prices === undefined ? [] : [['prices', prices]]);
}

/** The entries in the file, with the fingerprints of their instances, because a secret may have another value. */
function instancesOf(config: ResolvedConfig, section: 'providers' | 'packs'): Map<string, unknown> {
  const written = config.sections[section];
  const entryOf = (name: string): unknown =>
    typeof written === 'object' && written !== null ? Reflect.get(written, name) : null;
  return new Map([...config[section]].map(([name, { fingerprint }]) => [name, { written: entryOf(name), fingerprint }]));
}
