import type { Bodies } from './endpoint.ts';
import { EVIDENCE } from './example-records.ts';

/** Values that the examples of several endpoints share. */
export const { run_id, principal_id, created_at, events } = EVIDENCE;
export const route = EVIDENCE.model_id;
export const config_digest = 'sha256:6bddeeee0dd2718ff868ad8daa94f64ddfa28c1dc147eb028e3c0ff0f0fe6ea2';
export const config_path = '/etc/svc/svc.yaml';
export const ORIGIN = 'example.org/gateway';
export const issuer = 'https://login.example.com';
export const PROMPT = 'Pay from account 1234-5678-9012.';
export const MESSAGES = [{ role: 'user', content: PROMPT }];
export const ANSWER = 'I have paid from account <ACCOUNT>.';
/** The fields that a door adds to the body of an answer. */
export const RECEIPTS = { svc_run_id: run_id, svc_evidence: `${EVIDENCE.seq} ${EVIDENCE.hash}` };
export const completion = {
  id: `chatcmpl-${run_id}`,
  object: 'chat.completion',
  created: 1767603600,
  model: route,
  choices: [{ index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 },
};
export const run = { run_id, route, principal_id, status: 'completed', approvers: ['bob'], events, config_digest };

/** An example of a JSON body. */
export function json(value: unknown): Bodies {
  return { 'application/json': value };
}
