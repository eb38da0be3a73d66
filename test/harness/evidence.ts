import { hash } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';

/** Evidence records like those of a gateway with a few guards, the same at every call: 1.5 kB, 4 events. */

/** A record without its place in the chain. */
export type Body = JsonObject;

const START = Date.UTC(2026, 0, 5, 9);
const timeOf = (ms: number): string => new Date(START + ms).toISOString();

/** The UUIDv7 of run number n. */
function runId(n: number): string {
  const time = (START + n * 250).toString(16).padStart(12, '0');
  const rest = hash('sha256', `run ${n}`, 'hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-a${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}

function verdict(n: number, stage: string, node: string, said: string, findings: JsonObject[]): JsonObject {
  return {
    event_type: 'verdict',
    stage,
    node,
    data: {
      verdict: said,
      code: said === 'allow' ? 'nothing_found' : 'found',
      package: '@svc/guard-rules',
      version: '2.0.0',
      mode: stage === 'ingress' ? 'whole' : 'window',
      scanned: { segments: 1 + (n % 7), characters: 200 + ((n * 37) % 5000), skipped: [] },
      findings,
      duration_ms: n % 3,
    },
  };
}

export function evidence(n: number): Body {
  const usage = { input_tokens: 120 + (n % 900), output_tokens: 40 + (n % 300), cached_input_tokens: 0, estimated: false };
  const call = {
    provider: 'openai',
    model: 'gpt-4o',
    region: 'us',
    attempt: 1,
    latency_ms: 600 + (n % 800),
  };
  return {
    record_type: 'run_evidence',
    run_id: runId(n),
    model_id: 'chat',
    model_version: null,
    principal_id: `app-${n % 20}`,
    created_at: timeOf(n * 250),
    completed_at: timeOf(n * 250 + 900),
    status: n % 50 === 49 ? 'blocked' : 'completed',
    events: [
      verdict(
        n,
        'ingress',
        'accounts',
        n % 4 === 0 ? 'sanitize' : 'allow',
        n % 4 === 0 ? [{ entity_type: 'account', count: 1 }] : [],
      ),
      verdict(n, 'ingress', 'payments', 'allow', []),
      {
        event_type: 'provider_call',
        stage: 'execute',
        node: 'openai',
        data: { ...call, outcome: 'answered', usage, finish_reason: 'stop' },
      },
      verdict(n, 'egress', 'accounts', 'allow', []),
    ],
    approver: n % 100 === 7 ? { principal_id: 'bob', decision: 'approved', at: timeOf(n * 250 + 400) } : null,
  };
}

export function inventory(n = 0): Body {
  return {
    record_type: 'model_inventory',
    model_id: n === 0 ? 'chat' : `chat-${n}`,
    model_name: 'gpt-4o',
    model_description: 'Answers customers’ questions.',
    model_risk_rating: 'medium',
    model_owner: 'risk-team',
    model_developer: 'openai',
    model_origin: 'openai us',
    model_version: '2024-07-18',
    date_of_deployment: timeOf(0),
    model_dependencies: ['openai', '@svc/guard-rules@2.0.0'],
    data_sources: [],
    approved_uses: { 'customer service': true, 'credit decisions': false },
    model_limitations: ['English only'],
    monitoring_status: 'monitored',
    date_of_most_recent_review: '2026-01-02',
    next_review_date: '2027-01-02',
    svc_config_path: 'svc.yaml',
  };
}

export interface Chained {
  readonly bytes: string;
  readonly hash: string;
}

/** Chains records as the ledger's specification says, without using the ledger's code. */
export function chain(bodies: Iterable<Body>, after = { seq: 0, hash: 'genesis' }): Chained[] {
  let { seq, hash: prev_hash } = after;
  return Array.from(bodies, (body) => {
    seq += 1;
    const unsealed = { ...body, seq, prev_hash };
    const sealed = `sha256:${hash('sha256', canonicalJson(unsealed), 'hex')}`;
    prev_hash = sealed;
    return { bytes: canonicalJson({ ...unsealed, hash: sealed }), hash: sealed };
  });
}
