import { createRequire } from 'node:module';

/** The version of all packages of this release. The package finds its own manifest by name, because a bundle is in another folder than its source. */
export const VERSION = (createRequire(import.meta.url)('@svc/toolkit/package.json') as { version: string }).version;
