import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString, COMMENT_HEADER, type OpenAPITSOptions } from 'openapi-typescript';

const OPENAPI = new URL('../../openapi.json', import.meta.url);
/** Where the SDK's client has its types. */
export const TYPES = new URL('../../sdk/client/src/openapi.ts', import.meta.url);

/** The types of everything that openapi.json describes, as a file of TypeScript. */
export async function typesOf(options: OpenAPITSOptions): Promise<string> {
  const document = JSON.parse(readFileSync(OPENAPI, 'utf8'));
  return COMMENT_HEADER + astToString(await openapiTS(document, options));
}

/** Those of the SDK's client. */
export const clientTypes = (): Promise<string> => typesOf({ rootTypes: true, rootTypesNoSchemaPrefix: true, immutable: true });

if (import.meta.main) writeFileSync(TYPES, await clientTypes());
