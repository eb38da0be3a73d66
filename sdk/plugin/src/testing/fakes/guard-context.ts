import type { GuardContext } from '@svc/contracts';
import { runInTestThread } from './thread.ts';

/**
 * A guard's run context: one local endpoint in region `eu`, one choice, no token limit, and an empty state. Heavy work runs in a real
 * thread.
 */
export function fakeGuardContext(overrides: Partial<GuardContext> = {}): GuardContext {
  return {
    run_id: '01900000-0000-7000-8000-000000000001',
    route: 'default',
    principal_id: 'alice',
    team: null,
    session: null,
    node: 'test',
    stage: 'ingress',
    mode: 'enforce',
    state: {},
    tools: { offered: [], chosen: [], results: [], calls: [], listed: [] },
    endpoints: [{ provider: 'local', model: 'echo-1', region: 'eu' }],
    choices: 1,
    max_output_tokens: null,
    signal: new AbortController().signal,
    runInWorker: runInTestThread,
    ...overrides,
  };
}
