// Generates files of the clients: types from openapi.json, and the synchronous half of the Python client.
import { join } from 'node:path';
import { apiSchemas } from './build-api-schemas.ts';
import { pythonModels } from './build-python-models.ts';
import { pythonSync } from './build-python-sync.ts';
import { typescriptTypes } from './build-typescript-types.ts';

const PYTHON = 'sdk/python/src/svc_client';

/** Paths are relative to the root. */
export function clients(root: string): { readonly path: string; readonly contents: string }[] {
  const schemas = apiSchemas(root);
  return [
    { path: 'sdk/client/src/openapi.ts', contents: typescriptTypes(schemas) },
    { path: `${PYTHON}/models.py`, contents: pythonModels(schemas) },
    ...pythonSync(join(root, PYTHON, '_async')).map(({ name, contents }) => ({ path: `${PYTHON}/_sync/${name}`, contents })),
  ];
}
