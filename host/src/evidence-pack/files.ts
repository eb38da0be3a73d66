/** Names of the files of an evidence pack. `/` separates folders. */
export const FILES = {
  page: 'index.html',
  verifier: 'verify.mjs',
  sums: 'SHA256SUMS',
  info: 'pack.json',
  records: 'ledger/records.jsonl',
  first: 'ledger/first.tlog-proof',
  checkpoint: 'ledger/newest.checkpoint',
  cosigned: 'ledger/cosigned.checkpoint',
  timestamped: 'ledger/timestamped.checkpoint',
  timestamp: 'ledger/timestamped.tsr',
  consistency: 'ledger/consistency.jsonl',
  operations: 'operations/records.jsonl',
  operationsCheckpoint: 'operations/newest.checkpoint',
  operationsConsistency: 'operations/consistency.jsonl',
  sessions: 'sessions.jsonl',
  approvals: 'approvals.jsonl',
  digests: 'digests.jsonl',
  inventory: 'inventory/inventory.jsonl',
  requirements: 'requirements.json',
  keys: 'trust/ledger.vkey',
  policy: 'trust/witness-policy.txt',
  roots: 'trust/tsa-roots.pem',
  report: 'report/report.json',
  reportTable: 'report/report.csv',
  reportPage: 'report/report.html',
  runs: 'report/runs.jsonl',
} as const;

/** The proofs of the inventory records from before the first record of the pack: `SEQ.tlog-proof`. */
export const INVENTORY = 'inventory';

const PROOF = /^inventory\/[1-9][0-9]{0,15}\.tlog-proof$/;
const NAMES: ReadonlySet<string> = new Set(Object.values(FILES));

/** Whether packs have a file of this name. */
export function isFileOfPack(name: string): boolean {
  return NAMES.has(name) || PROOF.test(name);
}

/** Files that the verifier computes again from verified records. */
export const DERIVED = [FILES.approvals, FILES.digests, FILES.inventory, FILES.requirements] as const;
export type DerivedFile = (typeof DERIVED)[number];

export const FORMAT = 'svc evidence pack 1';

/** `pack.json`. Times are ISO 8601; `to` is not included. */
export interface PackInfo {
  readonly format: typeof FORMAT;
  /** Release of the command that wrote the pack. */
  readonly release: string;
  readonly from: string;
  readonly to: string;
  /** `seq` of the last record in the pack; 0: none. */
  readonly last_record: number;
  readonly last_operation: number;
}
