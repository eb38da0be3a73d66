import type { RunEvidence } from '@svc/contracts';
import { printable } from './terminal.ts';

type Event = RunEvidence['events'][number];
type Data = Event['data'];

const VERDICTS: Readonly<Record<string, string>> = {
  allow: 'allowed',
  sanitize: 'masked',
  require_approval: 'needs approval',
  block: 'blocked',
};
const STAGES: Readonly<Record<string, string>> = {
  ingress: 'before the model',
  execute: 'model call',
  egress: 'after the model',
};

type Words = (data: Data, place: { readonly node: string; readonly stage: string }) => string;

const WORDS: Readonly<Record<string, Words>> = {
  state: ({ from, to }) => (from === null ? 'run started' : `${text(from)} → ${text(to)}`),
  verdict: (data, { node, stage }) => `guard ${node}, ${stage}: ${judgement(data)}`,
  observed: (data, { node, stage }) => `guard ${node}, ${stage}, only observed: ${judgement(data)}`,
  skipped: (_, { node, stage }) => `guard ${node}, ${stage}: not asked, an operator has disabled it`,
  checked: ({ not_asked }, { stage }) => `guards asked (${stage}), without a model call${listed('; not asked: ', not_asked)}`,
  unsupported: ({ names }) => `not sent to the model: ${namesOf(names)}`,
  provider_call: (data, { node }) => `provider ${node}: ${call(data)}`,
  paused: ({ code }, { node }) => `paused: guard ${node} requires approval (${text(code)})`,
  decision: (data) => `${text(data.decision)} by ${decider(data)}${approvals(data.approvals)}`,
  reused: (data) => `${text(data.decision)} by ${decider(data)} on the same request, run ${text(data.run_id)}`,
  expired: () => 'denied: nobody decided in time',
  erased: ({ principal_id, at }) => `content erased by ${text(principal_id)} at ${text(at)}`,
  error: ({ code }, { node }) => `error ${text(code)}${node === '' ? '' : ` in ${node}`}`,
  stopped: ({ code }) => `stopped by an operator (${text(code)})`,
  interrupted: () => 'interrupted: the gateway ended',
  disconnected: () => 'the caller disconnected',
};

/** An event as one line that is safe for a terminal. Of an event of a newer release, only the type is shown. */
export function lineOfEvent({ event_type, stage, node, data }: Event): string {
  const words = Object.hasOwn(WORDS, event_type) ? WORDS[event_type] : undefined;
  return printable(words?.(data, { node, stage: STAGES[stage] ?? stage }) ?? event_type);
}

function judgement(data: Data): string {
  const { segments, characters } = members(data.scanned);
  const found = list(data.findings).map(({ entity_type, count }) => `${text(entity_type)} × ${text(count)}`);
  const facts = [
    ...(data.verdict === 'allow' || text(data.code) === '' ? [] : [text(data.code)]),
    ...(found.length === 0 ? [] : [`found ${found.join(', ')}`]),
    `checked ${text(segments) || '0'} texts, ${text(characters) || '0'} characters`,
    ...(list(members(data.scanned).skipped).length === 0 ? [] : ['could not check all parts']),
    ...(data.failure === undefined ? [] : [`the guard failed: ${text(data.failure)}`]),
  ];
  return `${VERDICTS[text(data.verdict)] ?? text(data.verdict)} (${facts.join('; ')})`;
}

function call(data: Data): string {
  const { input_tokens, output_tokens, estimated } = members(data.usage);
  const { micro_usd } = members(data.price);
  const facts = [
    ...(text(data.region) === '' ? [] : [`region ${text(data.region)}`]),
    ...(data.usage === undefined
      ? []
      : [`${text(input_tokens)} tokens in, ${text(output_tokens)} out${estimated === true ? ' (estimated)' : ''}`]),
    ...(typeof micro_usd === 'number' ? [dollars(micro_usd)] : []),
    ...(text(data.latency_ms) === '' ? [] : [`${text(data.latency_ms)} ms`]),
  ];
  return `model ${text(data.model)} ${text(data.outcome).replaceAll('_', ' ')}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
}

export function dollars(micro_usd: number): string {
  return `$${(micro_usd / 1e6).toFixed(6)}`;
}

function decider({ principal_id, at, subject, issuer }: Data): string {
  const person = subject === undefined ? '' : ` (${text(subject)} at ${text(issuer)})`;
  return `${text(principal_id)}${person} at ${text(at)}`;
}

function approvals(counts: unknown): string {
  const { given, needed } = members(counts);
  return needed === undefined ? '' : `, approval ${text(given)} of ${text(needed)}`;
}

function listed(title: string, names: unknown): string {
  return namesOf(names) === '' ? '' : `${title}${namesOf(names)}`;
}

function namesOf(names: unknown): string {
  return Array.isArray(names) ? names.map(text).join(', ') : '';
}

/** Accepts values of a newer release as well: anything but a text or a number is left out. */
function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(members) : [];
}
