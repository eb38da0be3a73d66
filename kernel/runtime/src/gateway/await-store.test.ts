import { type Logger, StoreError, type StoreErrorCode } from '@svc/contracts';
import { expect, it } from 'vitest';
import { openAwaited } from './await-store.ts';

const silent = (): void => undefined;

/** A store that fails to open this many times, and logs the attempts. */
function failing(code: StoreErrorCode, times: number) {
  const events: object[] = [];
  const scene = {
    tries: 0,
    events,
    logger: { debug: silent, info: silent, warn: (fields) => events.push(fields), error: silent } as Logger,
  };
  const open = async (): Promise<void> => {
    scene.tries += 1;
    if (scene.tries <= times) throw new StoreError(code, 'no');
  };
  return { ...scene, open, scene };
}

it('waits for a store that cannot be reached for a while, and logs it once', async () => {
  const { open, logger, events, scene } = failing('UNREACHABLE', 2);
  await openAwaited({ open }, logger);
  expect(scene.tries).toBe(3);
  expect(events).toEqual([{ event: 'store_awaited', max_wait_ms: 30_000 }]);
});

it.each<StoreErrorCode>(['OPEN', 'HELD', 'SCHEMA', 'FULL'])(
  'does not wait for an error that will not go away: %s',
  async (code) => {
    const { open, logger, scene } = failing(code, 1);
    await expect(openAwaited({ open }, logger)).rejects.toMatchObject({ code });
    expect(scene.tries).toBe(1);
  },
);

it('gives up in the end, and states the reason', async () => {
  const { open, logger } = failing('UNREACHABLE', Number.POSITIVE_INFINITY);
  await expect(openAwaited({ open }, logger, 100)).rejects.toMatchObject({ code: 'UNREACHABLE' });
});
