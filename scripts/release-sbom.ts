// A software bill of materials in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/) of what the published packages install. `npm sbom --omit=dev`
// leaves out packages that tests need too.
import { type Lock, lockedFolder } from './check-lock.ts';

interface Component {
  readonly type: 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope: 'required' | 'optional';
  readonly licenses?: readonly [{ readonly expression: string }];
  readonly hashes?: readonly [{ readonly alg: 'SHA-512'; readonly content: string }];
}

/** The document, as JSON. */
export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly timestamp: string; readonly component: Pick<Component, 'type' | 'bom-ref' | 'name' | 'version'> };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * @param published folders of the published packages in the lock
 * @param timestamp of the release, as ISO 8601
 */
export function sbomOf({ packages }: Lock, published: readonly string[], version: string, timestamp: string): Sbom {
  const edges = new Map<string, readonly string[]>();
  const visit = (folder: string): void => {
    if (edges.has(folder)) return;
    const { dependencies, optionalDependencies } = packages[folder] ?? {};
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    const found = names.flatMap((name) => targetOf(packages, lockedFolder(packages, folder, name)));
    edges.set(folder, found);
    for (const next of found) visit(next);
  };
  for (const folder of published) visit(folder);
  const component = (folder: string): Component => componentOf(packages, folder);
  const byRef = new Map([...edges.keys()].map((folder) => [component(folder)['bom-ref'], component(folder)]));
  const dependsOn = new Map<string, Set<string>>();
  for (const [folder, targets] of edges) {
    const ref = component(folder)['bom-ref'];
    dependsOn.set(ref, new Set([...(dependsOn.get(ref) ?? []), ...targets.map((target) => component(target)['bom-ref'])]));
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp, component: { type: 'library', 'bom-ref': `svc@${version}`, name: 'svc', version } },
    components: [...byRef.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
    dependencies: [
      { ref: `svc@${version}`, dependsOn: published.map((folder) => component(folder)['bom-ref']).sort() },
      ...[...dependsOn].map(([ref, targets]) => ({ ref, dependsOn: [...targets].sort() })),
    ],
  };
}

/** A link leads to the package's own folder. */
function targetOf(packages: Lock['packages'], folder: string | undefined): string[] {
  if (folder === undefined) return [];
  const { link, resolved } = packages[folder] ?? {};
  return [link === true && resolved !== undefined ? resolved : folder];
}

function componentOf(packages: Lock['packages'], folder: string): Component {
  const { name: own, version = '', license, integrity, optional } = packages[folder] ?? {};
  const name = own ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    scope: optional === true ? 'optional' : 'required',
    ...(license !== undefined && { licenses: [{ expression: license }] as const }),
    ...(integrity !== undefined && { hashes: [{ alg: 'SHA-512', content: sha512Of(integrity) }] as const }),
  };
}

/** As hex, from `sha512-` and base64. */
function sha512Of(integrity: string): string {
  const base64 = /sha512-([^ ]+)/.exec(integrity)?.[1];
  if (base64 === undefined) throw new Error(`${integrity} is not SHA-512`);
  return Buffer.from(base64, 'base64').toString('hex');
}
