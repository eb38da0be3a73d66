import { expect, it } from 'vitest';
import { ApiError } from '../shared/api-error.ts';
import type { PendingRun, StoredRun } from '../shared/api-types.ts';
import { Contents } from './contents.ts';

const run = (run_id: string) => ({ run_id, events: [] }) as unknown as StoredRun;

it('counts the texts that could not be read, but not those that the visitor may not read', async () => {
  const failures = new Map<string, unknown>([
    ['forbidden', new ApiError(403, 'SVC-AUTH-003', 'no')],
    ['decided', new ApiError(409, 'SVC-RUN-002', 'no')],
    ['lost', new ApiError(0, '', 'no')],
    ['broken', new ApiError(503, 'SVC-STORE-001', 'no')],
  ]);
  const contents = new Contents({
    pending: async (run_id) => {
      if (failures.has(run_id)) throw failures.get(run_id);
      return { decisions: [], answer: null, messages: [{ content: 'a wire transfer' }], parameters: {} } as unknown as PendingRun;
    },
  });
  const runs = [...failures.keys(), 'readable'].map(run);
  await contents.read(
    runs,
    () => undefined,
    () => false,
  );
  expect(contents.failures).toBe(2);
  expect(contents.textOf(run('readable'))).toContain('wire transfer');
  contents.keep(new Map([['readable', run('readable')]]));
  expect(contents.failures).toBe(0);
});
