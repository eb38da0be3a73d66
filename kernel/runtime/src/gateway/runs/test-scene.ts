import type { ChatRequest, RunRow } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { safeObserver } from '@svc/kernel/observing';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { CHAT } from '@svc/protocols';
import { TroubledStore } from '../../records/ledger/test-store.ts';
import { streaming, textChunk } from '../../streaming/test-parts.ts';
import { ALLOW, answerOf, guardOf, nodeOf, routeOf } from '../../test-parts.ts';
import type { RunRequest } from './run-request.ts';
import { Runs } from './runs.ts';
import { testEnv } from './test-env.ts';

const silent = (): void => undefined;

interface SceneOptions {
  readonly record_start?: boolean;
  /** The route's guard waits for the promise that this returns. */
  readonly guarded?: () => Promise<void> | void;
  /** RAG namespaces that the guard opened. */
  readonly namespaces?: readonly string[];
  readonly self_approval?: boolean;
  readonly escalate?: RuntimeRoute['escalate'];
}

/** A route that pauses on `wait` and blocks on `refuse`, with a store that can fail. */
export function troubledScene({
  record_start = true,
  guarded = silent,
  namespaces = [],
  self_approval = true,
  escalate = null,
}: SceneOptions = {}) {
  const store = new TroubledStore();
  const warnings: object[] = [];
  const logger = { debug: silent, info: silent, warn: (fields: object) => void warnings.push(fields), error: silent };
  let calls = 0;
  let duringCall: () => void = silent;
  const called = (): void => {
    calls += 1;
    duringCall();
  };
  const streams = streaming(() => {
    called();
    return [textChunk('answer')];
  });
  const provider = {
    ...streams.provider,
    complete: async () => {
      called();
      return { completion: answerOf('answer'), unsupported: [] };
    },
  };
  const guard = guardOf(async (segments) => {
    await guarded();
    const says = (word: string): boolean => segments.some(({ text }) => text.includes(word));
    if (says('refuse')) return { ...ALLOW, verdict: 'block', code: 'refused' };
    return says('wait') ? { ...ALLOW, verdict: 'require_approval', code: 'waits' } : ALLOW;
  });
  const route = routeOf({ provider, ingress: [nodeOf('pausing', guard, { namespaces })], self_approval, escalate });
  const bytes = new BytesInFlight(Number.POSITIVE_INFINITY);
  const routes = { routes: new Map([[route.name, route]]), config_digest: 'config-digest' };
  const escalated: RunRow[] = [];
  const observer = safeObserver({ escalated: (row) => void escalated.push(row) });
  const env = testEnv(store, { bytes, logger, observer, record_start }, routes);
  const runs = new Runs(env);
  const asking = (content: string, fields: Partial<RunRequest> = {}): RunRequest => {
    const request: ChatRequest = { model: 'default', messages: [{ role: 'user', content }] };
    return {
      route,
      principal_id: 'alice',
      protocol: CHAT,
      request,
      approvers: [],
      keepAnswer: false,
      keepRequest: false,
      synchronous: false,
      idempotency_key: null,
      traceparent: null,
      sink: null,
      bytes: bytes.reserve(),
      ...fields,
    };
  };
  return {
    store,
    /** Lines of the log at level warn. */
    warnings,
    /** Runs whose escalation was reported. */
    escalated,
    runs,
    asking,
    /** Another process with the same store. */
    restarted: (in_flight: BytesInFlight) => new Runs({ ...env, bytes: in_flight, instance: 'instance-b' }),
    start: (content: string, fields?: Partial<RunRequest>, gone?: AbortSignal) => runs.start(asking(content, fields), gone),
    startInBackground: (content: string) => runs.startInBackground(asking(content)),
    calls: () => calls,
    onCall: (action: () => void) => {
      duringCall = action;
    },
    breakDuringCall: (trouble: 'before' | 'after') => {
      duringCall = () => {
        store.trouble = trouble;
      };
    },
  };
}
