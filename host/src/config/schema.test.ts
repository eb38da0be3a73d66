import { isObject, KERNEL_KEYS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { schemaProblems } from './check-schema.ts';
import { withDefaults } from './defaults.ts';
import { PackSchema } from './packs-section.ts';
import { ProviderSchema } from './providers-section.ts';
import { ConfigSchema } from './schema.ts';

/** Path and schema of everything that the reference would list. */
function* fieldsOf(schema: unknown, path: string): Generator<[path: string, schema: Record<string, unknown>]> {
  if (!isObject(schema)) return;
  yield [path, schema];
  for (const [key, child] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    yield* fieldsOf(child, `${path}.${key}`);
  for (const child of Object.values(isObject(schema.patternProperties) ? schema.patternProperties : {}))
    yield* fieldsOf(child, `${path}.*`);
}

describe('ConfigSchema', () => {
  it('accepts the keys of packs and providers that the contracts assign to the kernel', () => {
    expect(Object.keys(PackSchema.properties)).toEqual(KERNEL_KEYS.guard);
    expect(Object.keys(ProviderSchema.properties)).toEqual(KERNEL_KEYS.provider);
  });

  it('describes every field', () => {
    const silent = [...fieldsOf(ConfigSchema, '')].filter(
      ([path, schema]) => !/\.(plugins|approved_uses)\.\*$/.test(path) && typeof schema.description !== 'string',
    );
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('has valid defaults', () => {
    const smallest = withDefaults(ConfigSchema, {
      providers: { p: { type: 'echo' } },
      routes: { r: { provider: 'p', model: 'm' } },
    });
    expect(schemaProblems(ConfigSchema, smallest)).toEqual([]);
    expect(smallest).toMatchObject({
      server: {
        host: '127.0.0.1',
        port: 8000,
        body_limit_bytes: 33_554_432,
        trust_proxy: false,
        cors_origins: [],
        record_content: false,
      },
      auth: { keys: [] },
      providers: { p: { timeout_ms: 300_000, idle_timeout_ms: 60_000, stream_timeout_ms: 1_800_000 } },
      packs: {},
      routes: {
        r: {
          approvers: [],
          self_approval: true,
          unscannable: 'pass',
          embeddings: 'block',
          vendor_tools: [],
          pipeline: { ingress: [], egress: [] },
        },
      },
      approvals: { expire_after: '30d' },
      runs: { result_ttl: '24h', record_start: true },
      exporters: [],
    });
  });
});
