import type { RunEvent } from './api-types.ts';
import { type Label, stageText, statusLabel, verdictLabel } from './words.ts';

/** One event of a run's history in words: a title, the result, and details. */
export interface Step {
  readonly title: string;
  readonly label: Label | null;
  readonly details: readonly string[];
  /** The most important detail, in a few words; empty if there is none. */
  readonly note: string;
}

export function stepOf({ event_type, stage, node, data }: RunEvent): Step {
  const place = stageText(stage);
  switch (event_type) {
    case 'verdict':
      return { title: `${node}, ${place}`, label: verdictLabel(text(data.verdict)), ...verdictNotes(data) };
    case 'observed': {
      const { text: verdict } = verdictLabel(text(data.verdict));
      return { title: `${node}, ${place}, observe mode`, label: plain(`would be: ${verdict}`), ...verdictNotes(data) };
    }
    case 'provider_call':
      return callStep(node, data);
    case 'paused':
      return { ...step(`${node} requires approval`), details: [text(data.code)] };
    case 'decision': {
      const decision = text(data.decision);
      const label: Label = { text: decision, tone: decision === 'approved' ? 'good' : 'bad' };
      return step(`${text(data.principal_id)} decided`, label);
    }
    case 'reused': {
      const decision = text(data.decision);
      const label: Label = { text: decision, tone: decision === 'approved' ? 'good' : 'bad' };
      return { ...step(`Repeats a request that ${text(data.principal_id)} decided`, label), details: [text(data.run_id)] };
    }
    case 'state':
      return step(moveTitle(data.from, data.to), statusLabel(text(data.to)));
    case 'unsupported':
      return { ...step('Parts of the request were left out'), details: [...(data.names ?? [])] };
    case 'checked':
      return { ...step(`Guards in ${place} asked, without a model call`), details: [...(data.not_asked ?? [])] };
    case 'expired':
      return step('Approval timed out');
    case 'erased':
      return step(`${text(data.principal_id)} erased the content`);
    case 'error':
      return step(node === '' ? `Error ${place}` : `Error in ${node}`, { text: text(data.code), tone: 'bad' });
    case 'skipped':
      return step(`${node}, ${place}, not asked: disabled by an operator`, { text: 'skipped', tone: 'bad' });
    case 'stopped':
      return { ...step('Ended by an operator'), details: [text(data.code)] };
    case 'interrupted':
      return step('Interrupted by a gateway stop');
    case 'disconnected':
      return step('The caller disconnected');
  }
}

function step(title: string, label: Label | null = null): Step {
  return { title, label, details: [], note: '' };
}

function plain(words: string): Label {
  return { text: words, tone: 'plain' };
}

function moveTitle(from: unknown, to: unknown): string {
  if (from === null) return 'Run started';
  if (to === 'running') return 'Run resumed';
  return to === 'paused' ? 'Run paused' : 'Run ended';
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
    details: said([region, tokens + estimated, milliseconds(data.latency_ms)]),
    note: tokens,
  };
}

function verdictNotes(data: RunEvent['data']): Pick<Step, 'details' | 'note'> {
  const { segments, characters, skipped } = members(data.scanned);
  const found = list(data.findings).map((finding) => `${text(finding.entity_type)} × ${text(finding.count)}`);
  const missed = list(skipped).length;
  const code = data.verdict === 'allow' ? '' : text(data.code);
  const details = said([
    code === '' ? '' : `code ${code}`,
    found.length === 0 ? '' : `found ${found.join(', ')}`,
    // "Nothing to check" must not read like "checked and fine".
    `checked ${counted(segments, 'text')}, ${counted(characters, 'character')}`,
    missed === 0 ? '' : `could not check ${counted(missed, 'part')}`,
    data.failure === undefined ? '' : `the guard failed: ${text(data.failure)}`,
    milliseconds(data.duration_ms),
  ]);
  return { details, note: found.length === 0 ? code : found.join(', ') };
}

function said(notes: readonly string[]): string[] {
  return notes.filter((note) => note !== '');
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
