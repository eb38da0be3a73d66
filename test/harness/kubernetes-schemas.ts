import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonValue } from '@svc/contracts';

/** Kept between runs. Checks of this repository skip it. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-kubernetes');
/** A package of PyPI with the JSON schemas of each release of Kubernetes. */
const PACKAGE = 'kubernetes-validate==1.37.0';
const UNPACK = `
import glob, re, sys, zipfile
with zipfile.ZipFile(glob.glob('*.whl')[0]) as wheel:
    for name in wheel.namelist():
        found = re.search(r'/v1\\.37\\.0-local/([^/]+\\.json)$', name)
        if found:
            open(found[1], 'wb').write(wheel.read(name))
`;

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
 * Strict schemas of Kubernetes 1.37.
 * @returns where kubeconform finds them
 */
export function kubernetesSchemas(): string {
  if (!existsSync(join(FOLDER, 'complete'))) {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    execFileSync('python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', PACKAGE], {
      cwd: FOLDER,
    });
    execFileSync('python3', ['-c', UNPACK], { cwd: FOLDER });
    for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.json'))) {
      const path = join(FOLDER, name);
      const text = readFileSync(path, 'utf8').replaceAll(
        '"/api/_definitions.json',
        `"file://${join(FOLDER, '_definitions.json')}`,
      );
      writeFileSync(path, JSON.stringify(strict(JSON.parse(text))));
    }
    writeFileSync(join(FOLDER, 'complete'), '');
  }
  return join(FOLDER, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
}
