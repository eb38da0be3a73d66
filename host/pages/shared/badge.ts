import type { Label } from '../../src/trail/words.ts';
import { element } from './dom.ts';
import { type IconName, icon } from './icon.ts';
import { iconOf } from './words.ts';

export function badge({ text, tone }: Label, sign: IconName = iconOf(tone)): HTMLElement {
  return element('span', { class: `badge ${tone}` }, icon(sign), text);
}
