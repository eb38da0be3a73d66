import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, PluginManifest } from '@svc/contracts';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { PluginRegistry, whereToGet } from './registry.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));

describe('plugin-registry.json', () => {
  const registry = read('plugin-registry.json');
  if (!Value.Check(PluginRegistry, registry)) throw new Error('it does not fit its schema');

  it('lists each kind and type once', () => {
    const names = registry.plugins.map(({ kind, type }) => `${kind} ${type}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(readdirSync(join(ROOT, 'plugins')))('lists what plugins/%s offers', (folder) => {
    const manifest = read('plugins', folder, 'package.json');
    if (!isObject(manifest) || !Value.Check(PluginManifest, manifest.svc)) throw new Error('its manifest is not one');
    const { apiVersion, plugins } = manifest.svc;
    const offered = plugins.map(({ kind, type }) => ({ package: manifest.name, kind, type, apiVersion }));
    const listed = registry.plugins.filter((plugin) => plugin.package === manifest.name);
    expect(listed.map(({ description: _description, ...plugin }) => plugin)).toEqual(offered);
  });

  it('lists packages of this project only if they exist', () => {
    const ours = readdirSync(join(ROOT, 'plugins')).map((folder) => `@svc/${folder}`);
    const listed = registry.plugins.map((plugin) => plugin.package).filter((name) => name.startsWith('@svc/'));
    expect(listed.filter((name) => !ours.includes(name))).toEqual([]);
  });

  it('returns the package of a type', () => {
    expect(whereToGet(registry, 'exporter', 'jsonl')).toContain('@svc/exporter-jsonl');
    expect(whereToGet(registry, 'guard', 'jsonl')).not.toContain('@svc/');
  });
});
