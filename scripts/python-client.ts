// Writes the generated files of the Python client: `npm run client-types`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonModels } from './python-models.ts';
import { pythonSync } from './python-sync.ts';

const PACKAGE = join(import.meta.dirname, '..', 'sdk', 'python', 'src', 'svc_client');

/** The text of each generated file by its path. */
export function generatedFiles(): Map<string, string> {
  const sync = [...pythonSync()].map(([name, text]) => [join(PACKAGE, '_sync', name), text] as const);
  return new Map([[join(PACKAGE, 'models.py'), pythonModels()], ...sync]);
}

if (import.meta.main) for (const [path, text] of generatedFiles()) writeFileSync(path, text);
