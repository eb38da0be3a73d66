import { createHash } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { expect } from 'vitest';
import { type Answer, echoConfig, type GatewayConfig, type TestGateway } from '../harness/gateway.ts';

export interface Event {
  event_type: string;
  stage: string;
  node: string;
  data: JsonObject;
}

const rules = (...list: JsonObject[]): JsonObject => ({ type: 'rules', rules: list });
const pausing = (name: string): JsonObject => rules({ name, words: [name], verdict: 'require_approval' });
const masking = (name: string, match: string, replacement: string): JsonObject =>
  rules({ name, match, verdict: 'sanitize', replacement });

/** The nodes of the route `default` in {@link pausingConfig}. */
export const PIPELINE = {
  ingress: ['account', 'wire', 'customer', 'offshore'],
  egress: ['account', 'leak', 'rumour'],
};

/**
 * Guards that pause on the word they are named after (`wire` and `offshore` on ingress, `leak` and `rumour` on egress), and two that mask: `ACC-1`
 * before the first that pauses, `CUS-1` after it. The model is the upstream double.
 */
export function pausingConfig(
  upstream: string,
  changes: { routes?: JsonObject; packs?: JsonObject } & JsonObject = {},
): GatewayConfig {
  const { routes, packs, ...rest } = changes;
  return echoConfig({
    providers: { upstream: { type: 'openai', base_url: upstream, region: 'eu' } },
    packs: {
      account: masking('account', 'ACC-\\d+', '<ACCOUNT>'),
      customer: masking('customer', 'CUS-\\d+', '<CUSTOMER>'),
      wire: pausing('wire'),
      offshore: pausing('offshore'),
      leak: pausing('leak'),
      rumour: pausing('rumour'),
      ...packs,
    },
    routes: { default: { provider: 'upstream', model: 'm-1', pipeline: PIPELINE }, ...routes },
    ...rest,
  });
}

/** Writes a configuration for the next start. Principals keep their keys. */
export async function reconfigure(gateway: TestGateway, config: GatewayConfig): Promise<void> {
  const keys = [...gateway.keys].map(([principal_id, key]) => ({
    principal_id,
    key_hash: `sha256:${createHash('sha256').update(key).digest('hex')}`,
  }));
  await gateway.configure({ ...config, auth: { ...(config.auth as JsonObject | undefined), keys } });
}

/** Sends one user message and expects the run to pause. Resolves to its id. */
export async function pausedRun(
  gateway: TestGateway,
  content: string,
  more: JsonObject = {},
  principal = 'alice',
): Promise<string> {
  const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content }], ...more }, principal);
  expect(body).toMatchObject({ status: 'paused', response: '' });
  return body.run_id;
}

export function decide(
  gateway: TestGateway,
  run_id: string,
  decision: 'approved' | 'denied',
  principal = 'bob',
): Promise<Answer> {
  return gateway.post(`/v1/runs/${run_id}/resume`, { decision }, principal);
}

export async function statusOf(gateway: TestGateway, run_id: string): Promise<string> {
  return (await gateway.get(`/v1/runs/${run_id}`)).body.status;
}

export async function evidenceOf(gateway: TestGateway, run_id: string): Promise<JsonObject[]> {
  return (await gateway.ledger()).filter((record) => record.run_id === run_id);
}

export function ofType(events: readonly Event[], event_type: string): Event[] {
  return events.filter((event) => event.event_type === event_type);
}

/** Stage and node of each verdict, in order. */
export function judgedBy(events: readonly Event[]): string[] {
  return ofType(events, 'verdict').map(({ stage, node }) => `${stage} ${node}`);
}
