// How the files of a release were made: an in-toto statement (https://in-toto.io/Statement/v1) with SLSA provenance 1.0
// (https://slsa.dev/spec/v1.0/provenance). It is not signed. `npm publish --provenance` in a CI with an identity adds a signed one to each package.

/** What a release was made from. */
export interface Source {
  readonly version: string;
  /** The commit's id, 40 hex characters. */
  readonly commit: string;
  /** Whether the files differ from the commit. */
  readonly modified: boolean;
  /** SHA-256 of package-lock.json, as hex. */
  readonly lock: string;
}

/** @param digests SHA-256 of each file by its name, as hex */
export function provenanceOf(source: Source, digests: ReadonlyMap<string, string>, startedOn: Date, finishedOn: Date): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...digests].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:svc:scripts/release.ts:1',
        externalParameters: { version: source.version },
        internalParameters: {
          node: process.versions.node,
          platform: `${process.platform}-${process.arch}`,
          modified: source.modified,
        },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: source.commit } },
          { name: 'package-lock.json', digest: { sha256: source.lock } },
        ],
      },
      runDetails: {
        builder: { id: process.env.CI === undefined ? 'urn:svc:builder:person' : 'urn:svc:builder:ci' },
        metadata: { startedOn: startedOn.toISOString(), finishedOn: finishedOn.toISOString() },
      },
    },
  };
}
