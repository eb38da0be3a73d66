import { includedRecord, noteSigners, parseProof } from '@svc/ledger/chain';
import { type Evidence, evidenceOfRun } from '../../src/trail/evidence.ts';
import type { Api } from '../shared/api.ts';
import type { Run } from '../shared/api-types.ts';

/** The verdict on a run's record, and the record as served; null: none was served. */
export interface ProvenRun {
  readonly evidence: Evidence;
  readonly record: string | null;
}

/** Verifies the record of a run in this browser, with the keys that the gateway returns. */
export async function proveRun(api: Api, run: Run): Promise<ProvenRun> {
  let record: string | null = null;
  const evidence = await evidenceOfRun(
    {
      read: (path) => api.audit(path),
      verify: async (text, keys) => {
        const file = parseProof(text);
        record = file.record;
        return { ...includedRecord(file), signed_by: await noteSigners(file.checkpoint, keys) };
      },
    },
    run,
    run.evidence,
  );
  return { evidence, record };
}
