import type { EventType, RunEvidence } from '@svc/contracts';
import { dollars } from './cost.ts';
import { list, members, text } from './values.ts';
import { type Label, stageText, statusLabel, verdictLabel } from './words.ts';

/** One event of a run's history in words: a title, the result, and details. */
export interface Step {
  readonly title: string;
  readonly label: Label | null;
  readonly details: readonly string[];
  /** The most important detail, in a few words; empty if there is none. */
  readonly note: string;
}

/** An event of any release. */
export type TrailEvent = RunEvidence['events'][number];
type Data = TrailEvent['data'];

const STEPS: Readonly<Record<EventType, (data: Data, node: string, place: string) => Step>> = {
  state: ({ from, to }) => step(moveTitle(from, to), statusLabel(text(to))),
  verdict: (data, node, place) => ({
    title: `${node}, ${place}`,
    label: verdictLabel(text(data.verdict)),
    ...verdictNotes(data),
  }),
  observed: (data, node, place) => {
    const { text: verdict } = verdictLabel(text(data.verdict));
    return { title: `${node}, ${place}, observe mode`, label: plain(`would be: ${verdict}`), ...verdictNotes(data) };
  },
  skipped: (_, node, place) => step(`${node}, ${place}, disabled by an operator`, { text: 'skipped', tone: 'bad' }),
  checked: ({ not_asked }, _, place) =>
    step(`Guards ${place} checked a body, without a model call`, null, [namesOf('not run: ', not_asked)]),
  unsupported: ({ names }) => step('Parts of the request were left out', null, [namesOf('', names)]),
  provider_call: callStep,
  paused: ({ code }, node) => step(`${node} requires approval`, null, [text(code)]),
  decision: (data) => step(`${text(data.principal_id)} decided`, decisionLabel(data), decisionNotes(data)),
  escalated: ({ approvers, at }) => step('Further approvers may decide', null, [namesOf('', approvers), text(at)]),
  reused: (data) =>
    step(`Repeats a request that ${text(data.principal_id)} decided`, decisionLabel(data), [
      ...decisionNotes(data),
      text(data.run_id),
    ]),
  expired: () => step('Approval timed out'),
  erased: ({ principal_id, at }) => step(`${text(principal_id)} erased the content`, null, [text(at)]),
  error: ({ code }, node, place) => step(node === '' ? `Error ${place}` : `Error in ${node}`, { text: text(code), tone: 'bad' }),
  stopped: ({ code }) => step('Ended by an operator', null, [text(code)]),
  interrupted: () => step('Interrupted when the gateway stopped'),
  disconnected: () => step('The caller disconnected'),
};

/** An event of a newer release is shown by its type. */
export function stepOf({ event_type, stage, node, data }: TrailEvent): Step {
  const words = Object.hasOwn(STEPS, event_type) ? STEPS[event_type as EventType] : () => step(event_type);
  return words(data, node, stageText(stage));
}

/** An event in one line. */
export function eventLine(event: TrailEvent): string {
  const { title, label, details } = stepOf(event);
  const notes = details.length === 0 ? '' : ` (${details.join('; ')})`;
  return `${title}${label === null ? '' : `: ${label.text}`}${notes}`;
}

function step(title: string, label: Label | null = null, notes: readonly string[] = []): Step {
  return { title, label, details: said(notes), note: '' };
}

function plain(words: string): Label {
  return { text: words, tone: 'plain' };
}

function moveTitle(from: unknown, to: unknown): string {
  if (from === null) return 'Run started';
  if (to === 'running') return 'Run resumed';
  return to === 'paused' ? 'Run paused' : 'Run ended';
}

function decisionLabel(data: Data): Label {
  const decision = text(data.decision);
  return { text: decision, tone: decision === 'approved' ? 'good' : 'bad' };
}

function decisionNotes({ approvals, edited, signed, subject, issuer, on_behalf_of, escalated_at, at }: Data): string[] {
  const { given, needed } = members(approvals);
  return [
    needed === undefined ? '' : `approval ${text(given)} of ${text(needed)}`,
    edited === undefined ? '' : 'with edits',
    signed === undefined ? '' : 'signed by a passkey',
    on_behalf_of === undefined ? '' : `on behalf of ${text(members(on_behalf_of).principal_id)}`,
    escalated_at === undefined ? '' : `after escalation at ${text(escalated_at)}`,
    subject === undefined ? '' : `${text(subject)} at ${text(issuer)}`,
    text(at),
  ];
}

function callStep(data: Data, node: string): Step {
  const outcome = text(data.outcome);
  const usage = members(data.usage);
  const { micro_usd } = members(data.price);
  const tokens =
    typeof usage.input_tokens === 'number' ? `${usage.input_tokens} tokens in, ${text(usage.output_tokens)} out` : '';
  const estimated = usage.estimated === true ? ' (estimated)' : '';
  return {
    title: `${node}, model ${text(data.model)}`,
    label: { text: outcome.replaceAll('_', ' '), tone: outcome === 'answered' ? 'good' : 'bad' },
    details: said([
      text(data.region) === '' ? '' : `region ${text(data.region)}`,
      tokens + estimated,
      typeof micro_usd === 'number' ? dollars(micro_usd) : '',
      milliseconds(data.latency_ms),
    ]),
    note: tokens,
  };
}

function verdictNotes(data: Data): Pick<Step, 'details' | 'note'> {
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

function namesOf(before: string, names: unknown): string {
  return Array.isArray(names) && names.length > 0 ? before + names.map(text).join(', ') : '';
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
