import type { JsonObject, RunEvidence } from '@svc/contracts';
import { canonicalJson, verifyLedger } from '@svc/ledger';
import { expect } from 'vitest';
import type { TestGateway } from '../harness/gateway.ts';

const PAGE = 5000;

/** Reads the whole ledger, verifies that it is one chain in canonical form, and returns its evidence by run. */
export async function evidenceByRun(gateway: TestGateway): Promise<Map<string, RunEvidence>> {
  const records: JsonObject[] = [];
  for (let more = true; more; ) {
    const { body, text } = await gateway.get(`/v1/audit/ledger?since_seq=${records.length}&limit=${PAGE}`);
    // Checks the bytes sent, because the hashes must not depend on a reader's JSON parser.
    expect(text).toBe(`{"records":[${body.records.map(canonicalJson).join(',')}]}`);
    records.push(...body.records);
    more = body.records.length === PAGE;
  }
  // Verification includes that a run has only one evidence record.
  expect(await verifyLedger(records.map(canonicalJson))).toMatchObject({ records: records.length, fault: null });
  const evidence = records.filter((record): record is JsonObject & RunEvidence => record.record_type === 'run_evidence');
  return new Map(evidence.map((record) => [record.run_id, record]));
}
