import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRow } from '@svc/contracts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ownPlugins } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import { runsDb } from '../config/runs-db.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { verifyLedgerOf } from './ledger-verify.ts';

const AT = '2026-01-05T09:00:00.000Z';
const ROW: RunRow = {
  run_id: '00000000-0000-7000-8000-000000000001',
  route: 'default',
  principal_id: 'alice',
  status: 'completed',
  approvers: [],
  events: [],
  config_digest: '',
  created_at: AT,
  expires_at: null,
  approver: null,
  owner: 'a',
  version: 1,
  evidence: null,
};

it('finds a run that ended in the runs database and has no evidence', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  const path = join(folder, 'runs-db');
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => {
    process.exitCode = undefined;
    written.mockRestore();
    rmSync(folder, { recursive: true });
  });
  const store = await makeStore(runsDb(path), ownPlugins(), newHost(silentLogger));
  await store.open();
  const change = { expect: null, put_content: [], drop_content: [], settlements: [] };
  await store.commit([{ ...change, run: ROW }], []);
  await store.close();

  await verifyLedgerOf([path, '--json']);
  const said = JSON.parse(String(written.mock.calls[0]?.[0]));
  expect(said).toMatchObject({ verdict: 'broken', records: 0, fault: { why: 'no_evidence', run_id: ROW.run_id } });
  expect(process.exitCode).toBe(4);
});
