import { OPTIONS_FAULT, PLUGIN_KINDS } from '@svc/contracts';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import * as sdk from './define.ts';

const defines: Readonly<Record<(typeof PLUGIN_KINDS)[number], (body: never) => unknown>> = {
  guard: sdk.defineGuard,
  provider: sdk.defineProvider,
  store: sdk.defineStore,
  exporter: sdk.defineExporter,
  vectors: sdk.defineVectors,
  embedder: sdk.defineEmbedder,
  secrets: sdk.defineSecrets,
  protocol: sdk.defineProtocol,
};

it.each(PLUGIN_KINDS)('a %s is refused with options that the gateway refuses, in the same words', (kind) => {
  const define = (options: unknown) => defines[kind]({ type: 'mine', options, create: () => ({}) } as never);
  expect(define(Type.Object({}, { additionalProperties: false }))).toMatchObject({ kind, type: 'mine' });
  for (const options of [Type.Object({}), Type.Object({}, { additionalProperties: true }), Type.String(), undefined])
    expect(() => define(options)).toThrow(OPTIONS_FAULT.join('; '));
});
