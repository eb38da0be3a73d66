import { type JsonObject, ModelInventory, Operation, RunEvidence } from '@svc/contracts';
import { Compile } from 'typebox/compile';
import { type After, type ChainFault, type RecordPlace, readChained } from './chained-record.ts';
import { type PasskeyChange, passkeyChangeIn } from './passkey-change.ts';
import { type DecisionSignature, signaturesIn } from './signed-decision.ts';

/** The fields that the evidence of a run and its row have in common. */
export type RunSummary = Pick<
  RunEvidence,
  'run_id' | 'principal_id' | 'status' | 'created_at' | 'approver' | 'session' | 'client' | 'user'
>;

/** A parsed record: its position and its run. */
export interface ReadRecord {
  readonly place: RecordPlace;
  /** Null for an operation. */
  readonly model_id: string | null;
  /** The run that the record is evidence of. Null for an inventory record and for an operation. */
  readonly run: RunSummary | null;
  /** Decisions on the run that passkeys have signed. Absent: none. */
  readonly signatures?: readonly DecisionSignature[];
  /** Of an operation on a passkey. */
  readonly passkey?: PasskeyChange;
}

export type RecordFault = ChainFault | 'wrong_schema' | 'wrong_session' | 'wrong_signature';

/** The schemas are compiled once, on first use, because that takes some milliseconds. */
let schemas: ReturnType<typeof compileSchemas> | undefined;
let operation: ReturnType<typeof compileOperation> | undefined;

function compileSchemas() {
  return { evidence: Compile(RunEvidence), inventory: Compile(ModelInventory) };
}

function compileOperation() {
  return Compile(Operation);
}

/** Parses and checks a record of the ledger: UTF-8, JSON, canonical form, place, hash, schema and signatures of passkeys. Returns the first fault, if any. */
export function readRecord(bytes: Uint8Array, after?: After): ReadRecord | RecordFault {
  return checked(readChained(bytes, after), ledgerRecordIn);
}

/** As {@link readRecord}, for a record of the operations log. */
export function readOperation(bytes: Uint8Array, after?: After): ReadRecord | RecordFault {
  return checked(readChained(bytes, after), operationIn);
}

function checked(
  read: JsonObject | ChainFault,
  recordIn: (record: JsonObject) => ReadRecord | RecordFault,
): ReadRecord | RecordFault {
  return typeof read === 'string' ? read : recordIn(read);
}

function ledgerRecordIn(record: JsonObject): ReadRecord | RecordFault {
  schemas ??= compileSchemas();
  if (schemas.evidence.Check(record)) {
    const { run_id, principal_id, status, created_at, approver, session, client, user } = record;
    const run = {
      ...{ run_id, principal_id, status, created_at, approver },
      ...(session !== undefined && { session }),
      ...(client !== undefined && { client }),
      ...(user !== undefined && { user }),
    };
    const signatures = signaturesIn(run_id, record.events);
    if (signatures === null) return 'wrong_signature';
    return { place: placeOf(record), model_id: record.model_id, run, ...(signatures.length > 0 && { signatures }) };
  }
  if (!schemas.inventory.Check(record)) return 'wrong_schema';
  return { place: placeOf(record), model_id: record.model_id, run: null };
}

function operationIn(record: JsonObject): ReadRecord | RecordFault {
  operation ??= compileOperation();
  if (!operation.Check(record)) return 'wrong_schema';
  const passkey = passkeyChangeIn(record);
  return { place: placeOf(record), model_id: null, run: null, ...(passkey !== null && { passkey }) };
}

function placeOf({ seq, prev_hash, hash }: RecordPlace): RecordPlace {
  return { seq, prev_hash, hash };
}
