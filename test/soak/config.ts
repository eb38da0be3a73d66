import type { GatewayConfig } from '../harness/gateway.ts';
import { SECRET } from './receiver.ts';

const WORKERS = 2;
export const BODY_LIMIT_BYTES = 1 << 20;
/** How long an undecided run waits, and how long the model server may be silent. */
export const EXPIRE_S = 10;
const MODEL_TIMEOUT_MS = 5_000;
/** No run comes near it. */
export const BUDGET = { tokens: 1_000_000_000, usd: 1_000_000, calls: 100_000_000 };
export const PRICE = { input: 2.5, output: 10 };
/** A route without budget, for large bodies: the reservation of a call with an unknown cost is then small on all others. */
export const UNBUDGETED = 'large';
/** Output tokens of a call for which the caller set no maximum. */
export const DEFAULT_OUTPUT_TOKENS = 512;

export const PRINCIPALS = [
  { principal_id: 'app', roles: ['call'], team: 'payments' },
  { principal_id: 'bob', roles: ['approve'] },
  { principal_id: 'auditor', roles: ['audit'] },
];

/** A gateway as an operator would configure it: the guards that need no other service, approvals, budgets, content kept, and an exporter. */
export function configuration(model: string, receiver: string): GatewayConfig {
  const provider = { base_url: `${model}/v1`, timeout_ms: MODEL_TIMEOUT_MS, first_chunk_timeout_ms: MODEL_TIMEOUT_MS };
  const account = { name: 'account', match: 'ACC-\\d{1,9}', verdict: 'sanitize', replacement: '<ACCOUNT>' };
  const limits = Object.entries(BUDGET).map(([unit, amount]) => ({ scope: 'global', unit, amount, period: 'month' }));
  const ingress = ['budget', 'questions', 'injection', 'secrets', 'pii'];
  const pipeline = { ingress, egress: ['answers', 'secrets', 'pii', 'budget'] };
  // Only here: a route that may pause sends no live streams.
  const pausing = { ...pipeline, ingress: [...ingress, 'policy'] };
  return {
    server: { workers: WORKERS, body_limit_bytes: BODY_LIMIT_BYTES, record_content: true },
    approvals: { expire_after: `${EXPIRE_S}s`, reuse_for: 0, max_paused_per_principal: 10_000 },
    providers: { model: { type: 'openai', ...provider, idle_timeout_ms: MODEL_TIMEOUT_MS } },
    packs: {
      budget: { type: 'budget', limits, prices: { 'm-1': PRICE }, default_output_tokens: DEFAULT_OUTPUT_TOKENS },
      questions: { type: 'rules', rules: [account, { name: 'forbidden', words: ['project phoenix'], verdict: 'block' }] },
      policy: { type: 'rules', rules: [{ name: 'wire', words: ['wire transfer'], verdict: 'require_approval' }] },
      answers: { type: 'rules', rules: [account] },
      injection: {},
      secrets: {},
      pii: {},
    },
    routes: {
      default: { provider: 'model', model: 'm-1', pipeline },
      approval: { provider: 'model', model: 'm-1', approvers: ['bob'], pipeline: pausing },
      [UNBUDGETED]: {
        provider: 'model',
        model: 'm-1',
        pipeline: { ingress: ['questions', 'secrets', 'pii'], egress: ['answers', 'secrets', 'pii'] },
      },
      vectors: { provider: 'model', model: 'm-1', pipeline: { ingress: ['budget', 'questions', 'secrets'], egress: ['budget'] } },
    },
    exporters: [
      {
        type: 'webhook',
        name: 'siem',
        url: `${receiver}/hook`,
        secret: SECRET,
        allow_private: true,
        batch: 64,
        timeout_ms: 2_000,
      },
    ],
  };
}
