import type { RunEvent } from '../shared/api-types.ts';
import { type Label, stageText, statusLabel, verdictLabel } from '../shared/words.ts';

/** One entry of a run's history in words: a title, how it went, and what else is known. */
export interface Step {
  readonly title: string;
  readonly label: Label | null;
  readonly details: readonly string[];
}

export function stepOf({ event_type, stage, node, data }: RunEvent): Step {
  const place = stageText(stage);
  switch (event_type) {
    case 'verdict':
      return { title: `${node}, ${place}`, label: verdictLabel(text(data.verdict)), details: verdictDetails(data) };
    case 'observed': {
      const { text: verdict } = verdictLabel(text(data.verdict));
      const label: Label = { text: `would be: ${verdict}`, tone: 'plain' };
      return { title: `${node}, ${place}, only observes`, label, details: verdictDetails(data) };
    }
    case 'provider_call':
      return callStep(node, data);
    case 'paused':
      return { title: `${node} asks for approval`, label: null, details: [text(data.code)] };
    case 'decision': {
      const decision = text(data.decision);
      const label: Label = { text: decision, tone: decision === 'approved' ? 'good' : 'bad' };
      return { title: `${text(data.principal_id)} decided`, label, details: [] };
    }
    case 'state':
      return { title: moveTitle(data.from, data.to), label: statusLabel(text(data.to)), details: [] };
    case 'expired':
      return { title: 'Nobody decided in time', label: null, details: [] };
    case 'erased':
      return { title: `${text(data.principal_id)} erased its content`, label: null, details: [] };
    case 'error':
      return {
        title: node === '' ? `Error ${place}` : `Error in ${node}`,
        label: { text: text(data.code), tone: 'bad' },
        details: [],
      };
    case 'interrupted':
      return { title: 'The gateway stopped meanwhile', label: null, details: [] };
    case 'disconnected':
      return { title: 'The caller went away', label: null, details: [] };
  }
}

function moveTitle(from: unknown, to: unknown): string {
  if (from === null) return 'The run begins';
  if (to === 'running') return 'The run goes on';
  return to === 'paused' ? 'The run waits' : 'The run ends';
}

function callStep(node: string, data: RunEvent['data']): Step {
  const outcome = text(data.outcome);
  const usage = members(data.usage);
  const tokens =
    typeof usage.input_tokens === 'number' ? `${usage.input_tokens} tokens in, ${text(usage.output_tokens)} out` : '';
  const estimated = usage.estimated === true ? ' (estimated)' : '';
  const region = typeof data.region === 'string' ? `region ${data.region}` : '';
  return {
    title: `${node}, model ${text(data.model)}`,
    label: { text: outcome.replaceAll('_', ' '), tone: outcome === 'answered' ? 'good' : 'bad' },
    details: [region, tokens + estimated, milliseconds(data.latency_ms)].filter((detail) => detail !== ''),
  };
}

function verdictDetails(data: RunEvent['data']): string[] {
  const { segments, characters, skipped } = members(data.scanned);
  const found = list(data.findings).map((finding) => `${text(finding.entity_type)} × ${text(finding.count)}`);
  const missed = list(skipped).length;
  return [
    data.verdict === 'allow' ? '' : `code ${text(data.code)}`,
    found.length === 0 ? '' : `found ${found.join(', ')}`,
    // "Nothing to look at" must not read as "looked at and fine".
    `looked at ${counted(segments, 'text')}, ${counted(characters, 'character')}`,
    missed === 0 ? '' : `could not look at ${counted(missed, 'part')}`,
    data.failure === undefined ? '' : `the guard failed: ${text(data.failure)}`,
    milliseconds(data.duration_ms),
  ].filter((detail) => detail !== '');
}

function counted(count: unknown, noun: string): string {
  const number = typeof count === 'number' ? count : 0;
  return `${number} ${number === 1 ? noun : `${noun}s`}`;
}

function milliseconds(value: unknown): string {
  return typeof value === 'number' ? `${value} ms` : '';
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(members) : [];
}
