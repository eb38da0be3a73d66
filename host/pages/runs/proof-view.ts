import type { Evidence } from '../../src/trail/evidence.ts';
import type { Label } from '../../src/trail/words.ts';
import { badge } from '../shared/badge.ts';
import { element } from '../shared/dom.ts';
import { icon } from '../shared/icon.ts';
import { visible } from '../shared/message-blocks.ts';
import { textFrame } from '../shared/message-view.ts';
import type { ProvenRun } from './proof.ts';

const VERDICTS: Readonly<Record<Evidence['verdict'], Label>> = {
  anchored: { text: 'verified', tone: 'good' },
  self_attested: { text: 'verified', tone: 'good' },
  broken: { text: 'not verified', tone: 'bad' },
  not_checked: { text: 'not checked', tone: 'waits' },
  none: { text: 'no record', tone: 'plain' },
};

/** What was verified in a run's record, or why nothing was. */
export function proofView(run_id: string, { evidence, record }: ProvenRun): HTMLElement[] {
  const { verdict, seq, hash, why } = evidence;
  const isProven = verdict === 'self_attested';
  return [
    element('p', { class: 'verdict' }, badge(VERDICTS[verdict]), seq === null ? '' : ` Record ${seq}`),
    ...(hash === null ? [] : [element('p', { class: 'ids' }, element('code', {}, hash))]),
    ...(isProven ? [checks(evidence)] : [element('p', { class: verdict === 'broken' ? 'notice bad' : 'notice' }, sentence(why))]),
    ...(isProven ? [hint(run_id)] : []),
    ...(record === null ? [] : [recordView(record)]),
  ];
}

function checks({ seq, checkpoint, signed_by }: Evidence): HTMLElement {
  const size = checkpoint?.size.toLocaleString('en');
  const signature =
    signed_by === null
      ? item(
          'dot',
          'plain',
          'The signature was not checked: this browser cannot verify Ed25519 at this address. It may be able to over https.',
        )
      : item('check', 'good', 'The checkpoint is signed by ', element('code', {}, signed_by.join(', ')), '.');
  return element(
    'ul',
    { class: 'proofs' },
    item('check', 'good', 'The hash of the record matches the hash in the run.'),
    item('check', 'good', 'The record has the principal, route, status and history shown on this page.'),
    item(
      'check',
      'good',
      `The ledger ${checkpoint?.origin} contains the record at position ${seq} of ${size} (inclusion proof).`,
    ),
    signature,
  );
}

function item(sign: 'check' | 'dot', tone: string, ...text: readonly (Node | string)[]): HTMLElement {
  return element('li', { class: tone }, icon(sign), element('span', {}, ...text));
}

function hint(run_id: string): HTMLElement {
  return element(
    'p',
    { class: 'hint' },
    'Checked in this browser, with the gateway’s own page and keys. To check it independently: ',
    element('code', {}, `svc explain ${run_id} --key KEY`),
    '.',
  );
}

function recordView(record: string): HTMLElement {
  const text = textFrame('text mono', [visible(JSON.stringify(JSON.parse(record), null, 2))]);
  return element('details', {}, element('summary', {}, 'Show the record'), text);
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
