import { statusLabel } from '../../src/trail/words.ts';
import type { Run } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { ADDRESS_OR_LONG_WORD } from '../shared/breakable.ts';
import { byId, element, facts } from '../shared/dom.ts';
import { eventsView } from '../shared/events-view.ts';
import { icon } from '../shared/icon.ts';
import { visible } from '../shared/message-blocks.ts';
import { breaks, messageView, textFrame } from '../shared/message-view.ts';
import type { Turn } from '../shared/turns.ts';
import { difference, type Piece } from './difference.ts';

/** What the caller received. `cut`: a guard ended the stream; `late`: a guard found a violation after all of it was sent. */
export type Got =
  | { readonly kind: 'comes'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string; readonly picture?: HTMLElement }
  | { readonly kind: 'stopped' | 'waits'; readonly text: string }
  | { readonly kind: 'cut'; readonly text: string; readonly late: boolean; readonly picture: HTMLElement };

export interface Exchange {
  readonly message: string;
  /** The request sent to the model; null if not known. */
  readonly sent: readonly Turn[] | null;
  /** Whether the model was called. */
  readonly asked: boolean;
  readonly got: Got;
}

/** Shows what was sent, what the model received and what the caller got, side by side. */
export function showPanes({ message, sent, asked, got }: Exchange): void {
  const received = sent?.length === 1 && typeof sent[0]?.content === 'string' ? sent[0].content : null;
  const changes = difference(message, received ?? message);
  const unchanged = element('p', { class: 'unchanged' }, 'Unchanged.');
  const model =
    received !== null
      ? element('div', {}, marked(changes.after, 'new'), ...(received === message ? [unchanged] : []))
      : sent !== null
        ? element('div', {}, ...sent.map((one) => messageView(one)))
        : element('p', { class: 'muted' }, modelText(asked, got));
  byId('panes', HTMLElement).replaceChildren(
    element(
      'div',
      { class: 'panes' },
      pane('Your message', 'you', marked(changes.before, 'gone')),
      pane('Sent to the model', received === null && sent === null ? 'nothing' : 'model', model),
      pane('Returned to you', got.kind, ...gotView(got)),
    ),
  );
}

function modelText(asked: boolean, got: Got): string {
  if (got.kind === 'comes') return 'Shown when the answer is complete.';
  if (got.kind === 'waits') return 'Nothing yet.';
  return asked ? 'Not stored.' : 'Nothing. The message was blocked before the model call.';
}

function pane(title: string, kind: string, ...content: Node[]): HTMLElement {
  return element('section', { class: `pane ${kind}` }, element('h3', {}, title), ...content);
}

function gotView(got: Got): Node[] {
  switch (got.kind) {
    case 'comes':
      return [textBox(got.text)];
    case 'answer':
      return [marked(placeholders(got.text), 'new'), ...(got.picture === undefined ? [] : [got.picture])];
    case 'stopped':
    case 'waits':
      return [textBox(got.text)];
    case 'cut': {
      const where = got.late ? 'The guard reported this after the answer was sent.' : 'Cut off here: a guard blocked the rest.';
      return [textBox(got.text), element('p', { class: 'cut' }, icon('cross'), where), got.picture];
    }
  }
}

/** The placeholders that guards insert. */
const PLACEHOLDER = /(<[A-Z][A-Z0-9_]*>)/;

function placeholders(text: string): Piece[] {
  return text.split(PLACEHOLDER).map((piece, index) => ({ text: piece, changed: index % 2 === 1 }));
}

function marked(pieces: readonly Piece[], kind: 'gone' | 'new'): HTMLElement {
  const parts = pieces.map(({ text, changed }) =>
    changed && text.trim() !== '' ? element('mark', { class: kind }, ...breaks(visible(text), ADDRESS_OR_LONG_WORD)) : text,
  );
  return textBox(...parts);
}

function textBox(...parts: readonly (Node | string)[]): HTMLElement {
  return textFrame(
    'text',
    parts.flatMap((part) => (typeof part === 'string' ? breaks(visible(part), ADDRESS_OR_LONG_WORD) : [part])),
  );
}

export function showStatus({ status }: Run): void {
  byId('status', HTMLElement).replaceChildren(badge(statusLabel(status)));
}

/** Shows the history of a run. */
export function showHistory({ run_id, events, config_digest, evidence }: Run): void {
  const [seq = '', hash = ''] = (evidence ?? '').split(' ');
  const proof =
    evidence === null ? 'written when the run ends' : element('span', {}, `record ${seq}, `, element('code', {}, hash));
  const receipts = facts([
    ['Evidence', proof],
    ['Run', element('code', {}, run_id)],
    ['Configuration', element('code', {}, config_digest)],
  ]);
  byId('history', HTMLElement).replaceChildren(eventsView(events), element('dl', { class: 'facts rows' }, ...receipts));
}
