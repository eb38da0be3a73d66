import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, ModelInventory, Operation, RunEvidence } from '@svc/contracts';
import {
  chainStart,
  LedgerVerifier,
  operationsOrigin,
  Passkeys,
  parseProof,
  readOperation,
  readRecord,
  verifyProof,
} from '@svc/ledger';
import { ProvenSizes } from './consistency.ts';
import { approvalLines, digestLine } from './derived.ts';
import { FactCollector, type PackFacts } from './facts.ts';
import { type DerivedFile, FILES, INVENTORY, type PackInfo } from './files.ts';
import { readInfo } from './info.ts';
import { verifyLines, wordsOf } from './log-part.ts';
import { faultIn, PackFault } from './pack-fault.ts';
import { counted } from './requirement.ts';
import { requirementsText } from './requirements.ts';
import { checkSessions } from './sessions.ts';
import { type CosignedBy, cosignersOf, type StampedBy, signedCheckpoint, stampOf, type Trust } from './trust.ts';

/** Takes the text of files that follow from the verified records, in parts. */
export type DerivedSink = (file: DerivedFile, part: string) => void;

/** The result of one step. `text`: what was proven, or what is wrong. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

export interface CheckedPack {
  readonly checks: readonly Check[];
  /** Null if a check failed. */
  readonly facts: PackFacts | null;
}

/** Verifies the records, proofs and signatures of a pack. Everything but the unsigned report, the page and the list of digests. */
export async function checkPack(folder: string, trust: Trust, derive: DerivedSink): Promise<CheckedPack> {
  const pack = new PackCheck(folder, trust, derive);
  const facts = await pack.run();
  return { checks: pack.checks, facts };
}

class PackCheck {
  readonly checks: Check[] = [];
  readonly #folder: string;
  readonly #trust: Trust;
  readonly #derive: DerivedSink;
  readonly #passkeys = new Passkeys();

  constructor(folder: string, trust: Trust, derive: DerivedSink) {
    this.#folder = folder;
    this.#trust = trust;
    this.#derive = derive;
  }

  async run(): Promise<PackFacts | null> {
    const info = await this.#step(
      'pack.json',
      () => readInfo(this.#folder),
      ({ from, to }) => `the period from ${from} until ${to}`,
    );
    if (info === null) return null;
    const facts = new FactCollector(info);
    const inventory = await this.#step(
      'inventory',
      () => this.#inventory(facts),
      (count) => `${counted(count, 'record')} of routes that are older than the first record of the pack, each with a proof`,
    );
    const ledger = await this.#step('ledger', () => this.#ledger(info, facts), ledgerText);
    const operations = await this.#step(
      'operations',
      () => this.#operations(info, facts),
      ({ records, size, closed }) =>
        `records 1 to ${records} of ${size} in the operations log: chain, tree and signature${closed ? '' : ', but none is later than the period, so its last operations could be missing'}`,
    );
    const passkeys = await this.#step(
      'passkeys',
      () => this.#signatures(),
      (count) => `${counted(count, 'decision')} signed with a passkey that was registered to the approver at that time`,
    );
    if (ledger === null) return null;
    const { verifier, proven, ...range } = ledger;
    const cosigned = await this.#step(
      'witnesses',
      () => this.#cosigned(proven),
      (found) => cosignedText(found, range.last),
    );
    const timestamped = await this.#step(
      'time stamp',
      () => this.#timestamped(proven),
      (found) => stampedText(found, range.last),
    );
    const sessions = await this.#step(
      'sessions',
      () => checkSessions(this.#folder, verifier.sessions, this.#trust),
      (count) => `${counted(count, 'session')}, each with all records that its signed note covers`,
    );
    if (inventory === null || operations === null || passkeys === null) return null;
    if (cosigned === null || timestamped === null || sessions === null) return null;
    const { from, to } = info;
    const { runs, routes } = facts;
    const done = { ...facts.operations, closed: operations.closed };
    const found = { from, to, ledger: range, cosigned, timestamped, runs, operations: done, routes, sessions };
    this.#derive(FILES.requirements, requirementsText(found));
    return found;
  }

  /** A step that fails does not stop the others. */
  async #step<T>(name: string, work: () => Promise<T>, text: (result: T) => string): Promise<T | null> {
    try {
      const result = await work();
      this.checks.push({ name, ok: true, text: text(result) });
      return result;
    } catch (error) {
      this.checks.push({ name, ok: false, text: faultIn(error) });
      return null;
    }
  }

  #read(name: string): Promise<string> {
    return readFile(join(this.#folder, name), 'utf8');
  }

  #has(name: string): boolean {
    return existsSync(join(this.#folder, name));
  }

  /** The routes as they were before the first record of the pack. */
  async #inventory(facts: FactCollector): Promise<number> {
    const names = await readdir(join(this.#folder, INVENTORY));
    const { origin } = await this.#newest();
    const first = ((await this.#start())?.size ?? 0) + 1;
    const seqs = names.flatMap((name) => /^([1-9][0-9]{0,15})\.tlog-proof$/.exec(name)?.[1] ?? []).map(Number);
    for (const seq of seqs.toSorted((a, b) => a - b)) {
      const name = `${INVENTORY}/${seq}.tlog-proof`;
      const { content, place, checkpoint, signedBy } = verifyProof(await this.#read(name), this.#trust.keys);
      if (signedBy.length === 0) throw new PackFault(`${name} is not signed by any of the keys`);
      if (place.seq !== seq || !isInventory(content)) throw new PackFault(`${name} is for another record`);
      if (checkpoint.origin !== origin) throw new PackFault(`${name} belongs to another ledger: ${checkpoint.origin}`);
      if (seq >= first) throw new PackFault(`${name} is for a record that the pack already contains`);
      this.#route(content, facts);
    }
    return seqs.length;
  }

  #route(record: ModelInventory, facts: FactCollector): void {
    facts.addRoute(record);
    this.#derive(FILES.inventory, `${JSON.stringify(record)}\n`);
  }

  async #ledger(info: PackInfo, facts: FactCollector) {
    const newest = await this.#newest();
    const proven = await ProvenSizes.read(FILES.consistency, join(this.#folder, FILES.consistency), newest);
    const start = await this.#start();
    const end = proven.at(info.last_record);
    const verifier = new LedgerVerifier([], [end], readRecord, this.#passkeys, start);
    const times = new Edges(info);
    await verifyLines(this.#folder, FILES.records, verifier, (record) => {
      if (isInventory(record)) this.#route(record, facts);
      const run = isRun(record) ? record : null;
      times.add(run?.completed_at ?? null);
      if (run !== null && facts.includes(run.completed_at)) this.#run(run, facts);
    });
    const first = (start?.size ?? 0) + 1;
    const { records: last } = verifier;
    if (last !== info.last_record) throw new PackFault(`${FILES.records} does not contain the records that ${FILES.info} states`);
    if (first > 1 && !times.beginsBefore)
      throw new PackFault(
        `${FILES.records} does not begin with a run that ended before the period, so earlier runs could be missing`,
      );
    if (!times.endsAfter && last !== newest.size)
      throw new PackFault(`${FILES.records} does not end with a run that ended after the period, so later runs could be missing`);
    const { origin, size, signed_by } = newest;
    return { verifier, proven, origin, first, last, size, closed: times.endsAfter, signed_by };
  }

  async #newest() {
    return signedCheckpoint(FILES.checkpoint, await this.#read(FILES.checkpoint), this.#trust);
  }

  /** Undefined: the pack begins with the first record. */
  async #start() {
    if (!this.#has(FILES.first)) return undefined;
    const text = await this.#read(FILES.first);
    const { signedBy } = verifyProof(text, this.#trust.keys);
    if (signedBy.length === 0) throw new PackFault(`${FILES.first} is not signed by any of the keys`);
    return chainStart(parseProof(text));
  }

  #run(run: RunEvidence, facts: FactCollector): void {
    facts.addRun(run);
    this.#derive(FILES.approvals, approvalLines(run));
    this.#derive(FILES.digests, digestLine(run));
  }

  async #operations(info: PackInfo, facts: FactCollector) {
    const name = FILES.operationsCheckpoint;
    const newest = signedCheckpoint(name, await this.#read(name), this.#trust);
    const ledger = await this.#newest();
    if (newest.origin !== operationsOrigin(ledger.origin))
      throw new PackFault(`${name} belongs to another log: ${newest.origin}`);
    const consistency = FILES.operationsConsistency;
    const proven = await ProvenSizes.read(consistency, join(this.#folder, consistency), newest);
    const end = proven.at(info.last_operation);
    const verifier = new LedgerVerifier([], [end], readOperation, this.#passkeys);
    const times = new Edges(info);
    await verifyLines(this.#folder, FILES.operations, verifier, (record) => {
      if (!isOperation(record)) return;
      times.add(record.at);
      facts.addOperation(record);
    });
    const { records } = verifier;
    if (records !== info.last_operation)
      throw new PackFault(`${FILES.operations} does not contain the records that ${FILES.info} states`);
    if (!times.endsAfter && records !== newest.size)
      throw new PackFault(`${FILES.operations} does not end after the period, so later operations could be missing`);
    return { records, size: newest.size, closed: times.endsAfter };
  }

  async #signatures(): Promise<number> {
    const fault = this.#passkeys.fault(true);
    if (fault !== null) throw new PackFault(`${FILES.records}: ${wordsOf(fault)}`);
    return this.#passkeys.signatures;
  }

  async #cosigned(proven: ProvenSizes): Promise<CosignedBy> {
    if (!this.#has(FILES.cosigned)) {
      const { needs, policy } = this.#trust;
      if (needs.cosignatures && policy?.isQuorum(new Set()) !== true)
        throw new PackFault('no checkpoint has the cosignatures that the policy requires');
      return { state: 'none' };
    }
    const note = await this.#read(FILES.cosigned);
    return cosignersOf(note, this.#sizeIn(FILES.cosigned, note, proven), this.#trust);
  }

  async #timestamped(proven: ProvenSizes): Promise<StampedBy> {
    if (!this.#has(FILES.timestamped)) {
      if (this.#trust.needs.timestamp) throw new PackFault('no checkpoint has a time stamp');
      return { state: 'none' };
    }
    const note = await readFile(join(this.#folder, FILES.timestamped));
    const size = this.#sizeIn(FILES.timestamped, note.toString(), proven);
    return stampOf(await readFile(join(this.#folder, FILES.timestamp)), note, size, this.#trust);
  }

  /** The size of a checkpoint that the keys signed, and that the newest one continues. */
  #sizeIn(name: string, note: string, proven: ProvenSizes): number {
    const { size, root, origin } = signedCheckpoint(name, note, this.#trust);
    const known = proven.at(size);
    if (known.origin !== origin || !Buffer.from(known.root).equals(root))
      throw new PackFault(`${name} and ${FILES.checkpoint} belong to different ledgers`);
    return size;
  }
}

/** Whether a list of records reaches beyond both ends of the period. */
class Edges {
  beginsBefore = false;
  endsAfter = false;
  readonly #period: PackInfo;
  #isFirst = true;

  constructor(period: PackInfo) {
    this.#period = period;
  }

  /** @param time of the next record, ISO 8601. Null: it has none */
  add(time: string | null): void {
    if (this.#isFirst) this.beginsBefore = time !== null && time < this.#period.from;
    this.#isFirst = false;
    this.endsAfter = time !== null && time >= this.#period.to;
  }
}

// The verifier of a log has checked the schema already.
type Of<T> = JsonObject & T;
const isRun = (record: JsonObject): record is Of<RunEvidence> => record.record_type === 'run_evidence';
const isInventory = (record: JsonObject): record is Of<ModelInventory> => record.record_type === 'model_inventory';
const isOperation = (record: JsonObject): record is Of<Operation> => record.record_type === 'operation';

function ledgerText({ first, last, size, origin, signed_by }: PackFacts['ledger']): string {
  return `records ${first} to ${last} of ${size} in the ledger "${origin}": format, chain, tree, and the signature of ${signed_by.join(', ')}`;
}

function cosignedText(found: CosignedBy, last: number): string {
  if (found.state === 'none')
    return 'no checkpoint with enough cosignatures: two auditors could have been shown different ledgers';
  if (found.state === 'unchecked') return 'not checked: the pack has no keys of the witnesses (use --policy)';
  return `${found.by.map(({ name, time }) => `${name} (${time})`).join(', ')} cosigned the first ${found.size} records${laterText(found.size, last)}`;
}

function stampedText(found: StampedBy, last: number): string {
  if (found.state === 'none') return 'none: only the operator states the times';
  if (found.state === 'unchecked') return 'not checked: the pack has no root certificates of the authority (use --tsa-ca)';
  return `${found.authority} states that the first ${found.size} records existed at ${found.time}${laterText(found.size, last)}`;
}

function laterText(size: number, last: number): string {
  return size < last ? `, but not records ${size + 1} to ${last} of the pack` : '';
}
