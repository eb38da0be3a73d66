import type { ChatCompletion, ChatRequest, Clock, Guard, GuardResult, Provider, Segment, UpstreamTimeouts } from '@svc/contracts';
import type { PipelineRun } from '@svc/kernel';
import { BytesInFlight } from '@svc/kernel/admission';
import { Circuits } from '@svc/kernel/endpoints';
import { noopObserver, type Observer, Timeline } from '@svc/kernel/observing';
import { type PipelineNode, ROUTE_DEFAULTS, type RuntimeRoute } from '@svc/kernel/routes';
import { NO_WORKERS } from '@svc/kernel/workers';
import { CHAT, protocolsWith } from '@svc/protocols';
import type { TransportEnv } from './answers/transport-env.ts';
import { KeyTree } from './content/key-tree.ts';
import { OpaqueHandles } from './content/opaque-handles.ts';
import { OperationalStates } from './records/states/operational-states.ts';
import { texts } from './texts/texts.ts';

/** A clock that a test advances. */
export function handClock(): Clock & { advance(milliseconds: number): void } {
  let time = 0;
  return {
    now: () => time,
    monotonic: () => time,
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
}

export const ENV: TransportEnv & { readonly observer: Observer } = {
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  workers: NO_WORKERS,
  count_tokens: null,
  handles: new OpaqueHandles({ newest: KeyTree.generate(), older: [], forget: null }),
  protocols: protocolsWith([]),
  logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  observer: noopObserver,
  policy: new OperationalStates(),
  texts,
  circuits: new Circuits({ now: () => 0, monotonic: () => 0 }, noopObserver),
};

export const ALLOW: GuardResult = { verdict: 'allow', code: 'fine', edits: [], findings: [] };

/** A guard that may give every verdict. Its result is not checked against the contract, as with a third-party plugin. */
export function guardOf(check: (segments: readonly Segment[], ctx: Parameters<Guard['check']>[1]) => unknown): Guard {
  return {
    stages: ['ingress', 'egress'],
    verdicts: ['allow', 'sanitize', 'require_approval', 'block'],
    check: check as Guard['check'],
  };
}

export function nodeOf(name: string, guard: Guard, fields: Partial<PipelineNode> = {}): PipelineNode {
  return {
    name,
    guard,
    namespaces: [],
    package: '@test/guard',
    version: '1.0.0',
    timeout_ms: 5000,
    on_error: 'block',
    mode: 'enforce',
    required: false,
    scope: 'all',
    ...fields,
  };
}

/** Replaces every `from` in every segment. */
export function replacing(from: string, to: string, verdict: GuardResult['verdict'] = 'sanitize'): Guard {
  return guardOf((segments) => {
    const edits = segments.flatMap(({ index, text }) =>
      [...text.matchAll(new RegExp(from, 'g'))].map((match) => ({
        segment: index,
        start: match.index,
        end: match.index + match[0].length,
        replacement: to,
      })),
    );
    return edits.length === 0
      ? ALLOW
      : { verdict, code: 'replaced', edits, findings: [{ entity_type: 'WORD', count: edits.length }] };
  });
}

export function answerOf(content: string): ChatCompletion {
  return {
    id: 'answer',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
}

export function providerOf(complete: Provider['complete']): Provider {
  return { complete, stream: () => Promise.reject(new Error('not used')) };
}

/** Uses the same limit everywhere, unless others are given. */
export function timeoutsOf(timeout_ms: number, others: Partial<UpstreamTimeouts> = {}): UpstreamTimeouts {
  const same = { timeout_ms, first_chunk_timeout_ms: timeout_ms, idle_timeout_ms: timeout_ms, stream_timeout_ms: timeout_ms };
  return { ...same, ...others };
}

export function routeOf(
  fields: Partial<RuntimeRoute> & { provider?: Provider; timeout_ms?: number; timeouts?: UpstreamTimeouts } = {},
): RuntimeRoute {
  const { provider, timeout_ms = 5000, timeouts = timeoutsOf(timeout_ms), ...rest } = fields;
  const instance = provider ?? providerOf(async () => ({ completion: answerOf('answer'), unsupported: [] }));
  return {
    ...ROUTE_DEFAULTS,
    name: 'default',
    endpoints: [{ provider: 'local', model: 'm-1', region: 'eu', instance, timeouts, weight: null }],
    digest: 'route-digest',
    config_digest: 'config-digest',
    ...rest,
  };
}

/** A run in the chat format. */
export interface ChatRun extends PipelineRun {
  readonly request: ChatRequest;
  completion: ChatCompletion | null;
}

export function runOf(route: RuntimeRoute, content: string | ChatRequest['messages'] = 'hello'): ChatRun {
  const messages = typeof content === 'string' ? [{ role: 'user', content }] : content;
  return {
    run_id: 'run-1',
    principal_id: 'alice',
    route,
    protocol: CHAT,
    request: { model: route.name, messages },
    completion: null,
    states: new Map(),
    spend: [],
    cost: 'complete',
    events: [],
    abort: new AbortController(),
    calling: null,
    admitted: false,
    timeline: new Timeline(),
    startWrite: null,
    bytes: new BytesInFlight(Number.POSITIVE_INFINITY).reserve(),
  };
}
