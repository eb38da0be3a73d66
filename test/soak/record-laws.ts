import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MAIN, type TestGateway } from '../harness/gateway.ts';
import { EXPIRE_S } from './config.ts';
import { type Scene, until } from './faults.ts';
import { type Law, law, round } from './law.ts';
import type { LedgerSums } from './ledger.ts';
import type { Load } from './load.ts';
import type { Receiver } from './receiver.ts';

/** Resolves when nothing is in progress and everything is exported; otherwise the laws that are broken. */
export async function lawsOfSettled(gateway: TestGateway): Promise<Law[]> {
  const get = async (path: string) => (await gateway.get(path, 'auditor')).body;
  const ended = async (status: string): Promise<void> =>
    until(
      `the last ${status} run`,
      async () => (await get(`/v1/audit?limit=1&status=${status}`)).runs.length === 0,
      1_000 * (EXPIRE_S + 60),
    );
  const isExported = async () => (await get('/v1/operations/exporters')).exporters[0].lag_records === 0;
  return [
    await lawOf('every run ends or expires', async () => {
      for (const status of ['running', 'pending', 'paused']) await ended(status);
    }),
    await lawOf('the exporter catches up', () => until('the exporter', isExported)),
  ];
}

/** What clients, the receiver and the model server saw is in the ledger. */
export function lawsOfRecords(
  { receiver, model }: Scene,
  { receipts, kept }: Load,
  { hashes, runs, doubled, all }: LedgerSums,
): Law[] {
  const lost = receipts.filter(({ run_id, evidence }) => runs.get(run_id)?.evidence !== evidence);
  const unended = kept.background.filter((run) => !runs.has(run));
  const { calls, unknown } = all;
  return [
    lawOfExport(receiver, hashes),
    law('every answer with evidence is recorded', lost.length === 0, `${lost.length} of ${receipts.length} are not`),
    law('every accepted background run ended', unended.length === 0, `${unended.length} of ${kept.background.length} did not`),
    law('every run has one record', doubled.length === 0, `${doubled.length} of ${runs.size} have several`),
    law(
      'the ledger has no fewer calls than the model saw',
      model.calls <= calls + unknown,
      `${model.calls} calls at the model, ${calls} with their cost and ${unknown} without in the ledger`,
    ),
  ];
}

/** Index 0 of both lists is empty. */
function lawOfExport({ hashes, repeated, faults }: Receiver, recorded: readonly string[]): Law {
  const isSame = hashes.length === recorded.length && recorded.every((hash, seq) => hashes[seq] === hash);
  const figures = `${hashes.length - 1} of ${recorded.length - 1} records, ${repeated} repeated`;
  return law('the exporter delivered every record, in order', isSame && faults.length === 0, figures, faults);
}

/** What must hold of a gateway that has been stopped. */
export async function lawsOfFolder(runsDb: string, code: number | null): Promise<Law[]> {
  const began = performance.now();
  const args = [MAIN, 'ledger', 'verify', runsDb, '--json'];
  // Exit code 3: valid, but no key is given to check the signature with.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
  const seconds = (performance.now() - began) / 1000;
  const { records, fault } = JSON.parse(stdout) as { records: number; fault: unknown };
  return [
    law('the gateway stops in order', code === 0, `exit code ${code}`),
    law('svc ledger verify finds the ledger intact', fault === null, `${records} records in ${round(seconds)} s`),
  ];
}

/** A law that holds if `work` does not fail. */
async function lawOf(text: string, work: () => Promise<void>): Promise<Law> {
  const began = performance.now();
  return work().then(
    () => law(text, true, `after ${round((performance.now() - began) / 1000)} s`),
    (error: unknown) => law(text, false, String(error)),
  );
}
