import { readFile } from 'node:fs/promises';

/** The build puts this file beside the bundles. */
const DOCUMENT = new URL('dist/openapi.json', import.meta.resolve('@svc/host/package.json'));

/** openapi.json of this release. */
export const readOpenApi = (): Promise<string> => readFile(DOCUMENT, 'utf8');
