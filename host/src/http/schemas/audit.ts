import { ModelInventory, Operation, RunEvidence } from '@svc/contracts';
import { Type } from 'typebox';
import { ref } from './parts.ts';
import { StoredRun } from './runs.ts';

export const RunList = Type.Object(
  { runs: Type.Array(ref(StoredRun), { description: 'A page of runs.' }) },
  { $id: 'RunList', description: 'Runs, newest first.' },
);

export const LedgerList = Type.Object(
  { records: Type.Array(Type.Union([ref(RunEvidence), ref(ModelInventory)]), { description: 'A page of records.' }) },
  { $id: 'LedgerList', description: 'Ledger records in order, exactly as written.' },
);

export const InventoryList = Type.Object(
  { records: Type.Array(ref(ModelInventory), { description: 'A page of records.' }) },
  { $id: 'InventoryList', description: 'Inventory records in order, exactly as written.' },
);

export const OperationList = Type.Object(
  { records: Type.Array(ref(Operation), { description: 'A page of records.' }) },
  { $id: 'OperationList', description: 'Records of the operations log in order, exactly as written.' },
);

export const Report = Type.Object(
  {
    generated_at: Type.String({ format: 'date-time', description: 'When the summary was created.' }),
    inventory: Type.Array(ref(ModelInventory), { description: 'The newest inventory record of each active route.' }),
    run_stats: Type.Record(Type.String(), Type.Integer(), { description: 'Number of runs by status.' }),
    chain_length: Type.Integer({ description: 'Number of records in the ledger.' }),
  },
  { $id: 'Report', description: 'A summary for auditors.' },
);

const treeHead = (description: string) =>
  Type.Object(
    {
      size: Type.Integer({ description: 'Number of records.' }),
      root: Type.String({ description: 'Root of their RFC 6962 tree, base64.' }),
    },
    { description },
  );

export const ConsistencyProof = Type.Object(
  {
    from: treeHead('The smaller tree.'),
    to: treeHead('The larger tree.'),
    path: Type.Array(Type.String(), { description: 'Hashes in base64, RFC 6962, 2.1.2.' }),
  },
  { $id: 'ConsistencyProof', description: 'Proves that a smaller ledger is a prefix of a larger one.' },
);

export const LedgerKeys = Type.Object(
  {
    origin: Type.String({ description: 'First line of every checkpoint.' }),
    verifier_keys: Type.Array(Type.String(), {
      description: 'Each as `name+id+key`: the id in hex, the Ed25519 key in base64. Newest first.',
    }),
  },
  { $id: 'LedgerKeys', description: 'Public keys of the ledger.' },
);
