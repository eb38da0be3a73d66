import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, type JsonObject, type JsonValue, KERNEL_KEYS, type PluginKind } from '@svc/contracts';
import { loadPlugin } from '@svc/kernel/plugins';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownPlugins, schemaOfConfiguration } from '../../host/src/compose/configuration.ts';
import { schemaProblems } from '../../host/src/config/check-schema.ts';
import { withDefaults } from '../../host/src/config/defaults.ts';
import { parseYaml } from '../../host/src/config/parse.ts';
import { ConfigSchema } from '../../host/src/config/schema.ts';
import { starterConfiguration } from '../../host/src/config/starter-configuration.ts';
import { BROKEN, WELL } from './broken-configurations.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const hash = `sha256:${'a'.repeat(64)}`;
const STARTER = starterConfiguration({ key_hash: hash, approver_key_hash: hash }, 'svc.schema.json');
const EXAMPLES = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));
const TIMEOUT_MS = 60_000;

let folder: string;
let schema: JsonObject;
let validate: ValidateFunction;
const options = new Map<string, TSchema>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-schema-'));
  const made = await schemaOfConfiguration(join(folder, 'svc.yaml'));
  expect(made.refused).toEqual([]);
  schema = made.schema;
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  validate = ajv.compile(schema);
  for (const entry of ownPlugins().entries) options.set(`${entry.kind}.${entry.type}`, (await loadPlugin(entry)).options);
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (text: string): JsonObject => parseYaml(text).value ?? {};
const without = (section: JsonObject, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(section).filter(([key]) => !keys.includes(key)));

const judged = new Map<string, boolean>();
/** Whether the gateway's own check of types, keys and values passes a plugin's section. */
function isPluginWell(kind: PluginKind, section: unknown, name = ''): boolean {
  const text = `${kind} ${name} ${JSON.stringify(section)}`;
  const known = judged.get(text) ?? arePluginOptionsWell(kind, section, name);
  judged.set(text, known);
  return known;
}

function arePluginOptionsWell(kind: PluginKind, section: unknown, name: string): boolean {
  if (!isObject(section)) return false;
  const known = options.get(`${kind}.${typeof section.type === 'string' ? section.type : name}`);
  return known !== undefined && schemaProblems(known, withDefaults(known, without(section, KERNEL_KEYS[kind]))).length === 0;
}

/** The same for a whole file. */
function isWell(value: JsonObject): boolean {
  const filled = withDefaults(ConfigSchema, value);
  if (!isObject(filled) || !Value.Check(ConfigSchema, filled)) return false;
  const { providers, packs, exporters, protocols, rag } = filled;
  const all = (kind: PluginKind, section: unknown) =>
    Object.entries(Object(section)).every(([name, entry]) => isPluginWell(kind, entry, kind === 'guard' ? name : ''));
  const isRagWell = !isObject(rag) || (isPluginWell('vectors', rag.vectors) && isPluginWell('embedder', rag.embedder));
  return (
    isRagWell && all('provider', providers) && all('guard', packs) && all('exporter', exporters) && all('protocol', protocols)
  );
}

interface Mutation {
  /** What was put where. */
  readonly change: string;
  readonly value: JsonValue;
}

/** Copies of the value: each key or entry once removed, and once replaced with each other value. */
function* mutated(value: JsonValue, others: readonly JsonValue[], path = ''): Generator<Mutation> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const here = `${path}.${key}`;
    const put = (change: string, changed?: JsonValue): Mutation => {
      if (Array.isArray(value))
        return { change, value: value.flatMap((item, index) => (String(index) === key ? (changed ?? []) : [item])) };
      const rest = Object.entries(value).filter(([name]) => name !== key);
      return { change, value: Object.fromEntries(changed === undefined ? rest : [...rest, [key, changed]]) };
    };
    yield put(`${here} removed`);
    for (const other of others) yield put(`${here}: ${JSON.stringify(other)}`, other);
    for (const { change, value: changed } of mutated(child, others, here)) yield put(change, changed);
  }
}

it('accepts a complete file, and the one of svc init', () => {
  for (const value of [WELL, read(STARTER)]) {
    expect(isWell(value)).toBe(true);
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  }
});

it.each(EXAMPLES)('accepts examples/%s', (name) => {
  const value = read(readFileSync(join(ROOT, 'examples', name), 'utf8'));
  expect(isWell(value)).toBe(true);
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
});

const MAPS = BROKEN.map(({ why, text }) => ({ why, value: parseYaml(text).value })).filter(({ value }) => value !== null);

it.each(MAPS)('judges $why like the gateway judges types, keys and values', ({ value }) => {
  expect(validate(value)).toBe(isWell(value ?? {}));
});

it('knows most of the broken files', () => {
  const refused = MAPS.filter(({ value }) => !validate(value));
  expect(refused.length).toBeGreaterThan(MAPS.length / 2);
});

it.each([
  { name: 'a complete file', value: WELL },
  { name: 'the file of svc init', value: read(STARTER) },
  ...EXAMPLES.map((name) => ({ name, value: read(readFileSync(join(ROOT, 'examples', name), 'utf8')) })),
])(
  'judges changes of $name like the gateway',
  ({ value }) => {
    const others = [7, 0.5, 'text', [], {}, { text: {} }];
    const wrong = [...mutated(value, others)].filter(({ value: other }) => isObject(other) && validate(other) !== isWell(other));
    expect(wrong.map(({ change }) => change)).toEqual([]);
  },
  TIMEOUT_MS,
);

describe('what editors show', () => {
  const places: { path: string; node: JsonObject }[] = [];
  const walk = (node: unknown, path: string) => {
    if (!isObject(node)) return;
    for (const [key, child] of Object.entries(isObject(node.properties) ? node.properties : {})) {
      if (isObject(child) && child.$ref === undefined && child.if === undefined)
        places.push({ path: `${path}.${key}`, node: child });
      walk(child, `${path}.${key}`);
    }
    for (const key of ['items', 'additionalProperties']) walk(node[key], path);
    for (const [key, child] of Object.entries(isObject(node.$defs) ? node.$defs : {})) walk(child, key);
  };

  it('every key of the gateway and of its plugins has a description, and every single value a title', () => {
    walk(schema, 'svc.yaml');
    expect(places.length).toBeGreaterThan(300);
    expect(places.filter(({ node }) => typeof node.description !== 'string').map(({ path }) => path)).toEqual([]);
    const single = places.filter(({ node }) => ['string', 'integer', 'number', 'boolean'].includes(String(node.type)));
    expect(single.filter(({ node }) => !('title' in node || 'enum' in node || 'const' in node)).map(({ path }) => path)).toEqual(
      [],
    );
    expect(places.find(({ path }) => path === 'svc.yaml.server.port')?.node).toMatchObject({ type: 'integer', default: 8000 });
    expect(places.find(({ path }) => path === 'guard.pii.timeout_ms')?.node).toMatchObject({ default: 5000 });
  });
});

describe('plugins of the operator', () => {
  const install = (fixtures: readonly string[], config: string): string => {
    const project = mkdtempSync(join(folder, 'project-'));
    for (const fixture of fixtures)
      cpSync(join(ROOT, 'test', 'fixtures', 'packages', fixture), join(project, 'node_modules', '@fixture', fixture), {
        recursive: true,
      });
    const dependencies = Object.fromEntries(fixtures.map((fixture) => [`@fixture/${fixture}`, '1']));
    writeFileSync(join(project, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(project, 'svc.yaml'), config);
    return join(project, 'svc.yaml');
  };
  const packed = (pack: JsonObject): JsonObject => ({
    ...WELL,
    packs: { ...Object(WELL.packs), mine: { type: 'banned-words', ...pack } },
  });
  const compiled = async (file: string) =>
    formats.default(new Ajv2020({ strict: false })).compile((await schemaOfConfiguration(file)).schema);

  it('are described with their options, once they are installed', async () => {
    const known = await compiled(install(['banned-words'], '{}'));
    const secret = 'secret://env/A#b';
    const well = [{ words: ['a'] }, { words: [secret] }, { words: ['a'], token: secret, verdict: secret }];
    const wrong = [
      {},
      { words: [] },
      { words: secret },
      { words: ['a'], token: 'a' },
      { words: ['a'], token: 'secret://a' },
      { words: ['a'], verb: 'block' },
    ];
    expect(well.filter((pack) => !known(packed(pack)))).toEqual([]);
    expect(wrong.filter((pack) => known(packed(pack)))).toEqual([]);
    expect(validate(packed({ words: ['a'] }))).toBe(false);
  });

  it('are left out with a reason if they cannot be loaded or the file does not allow them', async () => {
    const broken = await schemaOfConfiguration(install(['throws-on-import', 'banned-words'], '{}'));
    expect(broken.refused).toEqual([expect.stringContaining('@fixture/throws-on-import')]);
    expect(broken.schema.$defs).toHaveProperty(['guard.banned-words']);
    const refused = await schemaOfConfiguration(install(['banned-words'], 'plugins: {}'));
    expect(refused.refused).toEqual([expect.stringContaining('@fixture/banned-words')]);
    expect(refused.schema.$defs).not.toHaveProperty(['guard.banned-words']);
  });

  it.each(['plugins: [', '- one', 'plugins: { a: b }'])(
    'no plugin is imported if the file cannot say which: %s',
    async (config) => {
      const file = install(['banned-words'], config);
      await expect(schemaOfConfiguration(file)).rejects.toThrow(file);
    },
  );
});
