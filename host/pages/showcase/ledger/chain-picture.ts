import { statusLabel } from '../../../src/trail/words.ts';
import { element } from '../../shared/dom.ts';
import { icon } from '../../shared/icon.ts';
import { iconOf } from '../../shared/words.ts';
import type { ShownRecord } from './record.ts';

/**
 * State of a record in a copy: `changed` was altered, `forged` has a new hash, `broken` is where verification fails,
 * `doubtful` comes after that.
 */
export type Mark = 'whole' | 'changed' | 'forged' | 'broken' | 'doubtful';

/** Records side by side, each with its number, a summary, and the beginning of its hash. */
export function chainPicture(
  records: readonly ShownRecord[],
  markOf: (index: number) => Mark,
  fresh: ReadonlySet<number>,
): HTMLElement {
  const blocks = records.map((record, index) => block(record, markOf(index), fresh.has(record.seq)));
  return element('ol', { class: 'chain', tabindex: '0', 'aria-label': 'The newest records' }, ...blocks);
}

function block({ seq, hash, content }: ShownRecord, mark: Mark, isNew: boolean): HTMLElement {
  const { record_type, status, model_id } = content;
  const evidence = record_type === 'run_evidence';
  const label = evidence ? statusLabel(String(status)) : { text: 'inventory', tone: 'plain' as const };
  return element(
    'li',
    { class: `block ${mark}${isNew ? ' fresh' : ''}` },
    element('span', { class: 'seq' }, `#${seq}`),
    element('span', { class: `kind ${label.tone}` }, icon(evidence ? iconOf(label.tone) : 'model'), label.text),
    element('small', {}, String(model_id)),
    element('code', {}, shortHash(hash)),
    ...(mark === 'whole' ? [] : [element('strong', { class: 'mark' }, mark)]),
  );
}

export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, '').slice(0, 8);
}
