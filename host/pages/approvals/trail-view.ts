import { element } from '../shared/dom.ts';
import { icon } from '../shared/icon.ts';
import type { Stop } from '../shared/pipeline.ts';
import { iconOf } from '../shared/words.ts';

/** The pipeline in one line: how far the message got. Guards that allowed it get no label, to save space. */
export function trailView(stops: readonly Stop[]): HTMLElement {
  return element('ol', { class: 'trail', 'aria-label': 'Request pipeline' }, ...stops.map(stepView));
}

function stepView({ stage, name, label }: Stop): HTMLElement {
  if (label === null) return element('li', {}, icon(stage === 'execute' ? 'model' : 'shield'), element('span', {}, name));
  const outcome = element('span', { class: label.tone === 'good' ? 'visually-hidden' : 'outcome' }, label.text);
  return element('li', { class: label.tone }, icon(iconOf(label.tone)), element('span', {}, name, ' ', outcome));
}
