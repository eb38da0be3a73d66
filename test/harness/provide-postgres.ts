import type { TestProject } from 'vitest/node';
import { PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server on which tests may create databases. */
    readonly postgres: string;
  }
}

/** One server for all tests that need a database: the one in `SVC_TEST_POSTGRES`, or else one started here. */
export default async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const named = process.env.SVC_TEST_POSTGRES;
  const server = named === undefined ? await PostgresServer.start() : null;
  project.provide('postgres', named ?? server?.url ?? '');
  return async () => server?.stop();
}
