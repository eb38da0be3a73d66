import { createHash, randomUUID } from 'node:crypto';
import type { RunChange, RunRow, RunStatus, Seal, SealedRecord, Store } from '@svc/sdk/plugin';

export function sampleRun(fields: Partial<RunRow> = {}): RunRow {
  return {
    run_id: randomUUID(),
    route: 'default',
    principal_id: 'alice',
    status: 'running',
    approvers: [],
    events: [],
    config_digest: `sha256:${'0'.repeat(64)}`,
    created_at: new Date().toISOString(),
    expires_at: null,
    approver: null,
    owner: 'instance-a',
    version: 1,
    evidence: null,
    ...fields,
  };
}

export function createRun(run: RunRow, more: Partial<RunChange> = {}): RunChange {
  return { run, expect: null, put_content: [], drop_content: [], settlements: [], ...more };
}

export function moveRun(run: RunRow, status: RunStatus): RunChange {
  const { version, owner } = run;
  return { ...createRun({ ...run, status, version: version + 1 }), expect: { status: run.status, version, owner } };
}

function hashOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Seals one record a winner; `hash`, over the rest, comes first in the bytes. */
export const sealWinners: Seal = (head, winners) => {
  const sealed: SealedRecord[] = [];
  let last = head;
  for (const change of winners) {
    const seq = (last?.seq ?? 0) + 1;
    const rest = `"prev_hash":"${last?.hash ?? 'genesis'}","seq":${seq}}`;
    last = { seq, hash: hashOf(rest) };
    sealed.push({ ...last, bytes: `{"hash":"${last.hash}",${rest}`, record_type: 'run_evidence', model_id: 'default', change });
  }
  return sealed;
};

/** The hashes of the whole ledger, in order. Throws where it is not one chain that ends in the head. */
export async function verifiedChain(store: Store): Promise<string[]> {
  const hashes: string[] = [];
  for (const { seq, bytes } of await store.records({ since_seq: 0, limit: Number.MAX_SAFE_INTEGER })) {
    const { hash, prev_hash } = JSON.parse(bytes);
    const rest = bytes.slice(bytes.indexOf(',') + 1);
    if (hash !== hashOf(rest) || prev_hash !== (hashes.at(-1) ?? 'genesis') || seq !== hashes.length + 1) {
      throw new Error(`the chain is broken at ${seq}`);
    }
    hashes.push(hash);
  }
  const head = await store.head();
  if (head?.hash !== hashes.at(-1) || (head?.seq ?? 0) !== hashes.length) throw new Error('the head is not the last record');
  return hashes;
}
