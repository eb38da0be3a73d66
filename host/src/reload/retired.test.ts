import { setImmediate as nextTurn } from 'node:timers/promises';
import { Closing } from '@svc/runtime';
import { expect, it } from 'vitest';
import type { ResolvedConfig } from '../config/index.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { RetiredConfigurations } from './retired.ts';

/** A configuration with a provider and a backend of secrets, whose closing is recorded. */
function configuration(closed: string[]): ResolvedConfig {
  const closing = (name: string) => ({ close: async () => void closed.push(name) });
  const providers = new Map([['model', { name: 'model', instance: closing('provider') }]]);
  return { digest: '', providers, packs: new Map(), rag: null, backends: [closing('backend')] } as unknown as ResolvedConfig;
}

it('closes the backends of secrets at once, and the rest when no run uses it', async () => {
  const closed: string[] = [];
  const retired = new RetiredConfigurations(silentLogger);
  const unused = Promise.withResolvers<void>();
  retired.retire(configuration(closed), configuration([]), unused.promise);
  await nextTurn();
  expect(closed).toEqual(['backend']);
  unused.resolve();
  await nextTurn();
  expect(closed).toEqual(['backend', 'provider']);
});

it('closes each instance once if the server stops first', async () => {
  const closed: string[] = [];
  const retired = new RetiredConfigurations(silentLogger);
  retired.retire(configuration(closed), configuration([]), new Promise(() => undefined));
  await retired.close(new Closing());
  expect(closed).toEqual(['backend', 'provider']);
});
