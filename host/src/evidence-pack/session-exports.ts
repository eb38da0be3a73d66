import { join } from 'node:path';
import { readRecord, SessionChains } from '@svc/ledger';
import { linesOf } from '../served/ledger-lines.ts';
import { FILES } from './files.ts';
import { type PackSource, withFile } from './pack-source.ts';

/** Writes the signed export of each session that a record of the pack belongs to, one after another. */
export async function writeSessions(source: PackSource, folder: string): Promise<void> {
  const sessions = new SessionChains(true);
  await withFile(join(folder, FILES.sessions), async (file) => {
    for await (const lines of linesOf(join(folder, FILES.records)))
      for (const line of lines) {
        const read = readRecord(line);
        // What is wrong with a record is reported when the pack is verified.
        if (typeof read === 'string' || read.run?.session === undefined) continue;
        const { principal_id: principal, session } = read.run;
        const known = sessions.size;
        sessions.add(read.run, read.place.hash);
        if (sessions.size === known) continue;
        const query = new URLSearchParams({ principal, session: session.id });
        await source.append(`/v1/audit/session?${query}`, file);
      }
  });
}
