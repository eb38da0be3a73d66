import { readFile } from 'node:fs/promises';

/** Put beside the bundles by the build. */
const DOCUMENT = new URL('dist/openapi.json', import.meta.resolve('@svc/host/package.json'));

/** openapi.json of this release. */
export const readOpenApi = (): Promise<string> => readFile(DOCUMENT, 'utf8');
