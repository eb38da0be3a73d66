import { element } from './dom.ts';
import type { Label } from './words.ts';

export function badge({ text, tone }: Label): HTMLElement {
  return element('span', { class: `badge ${tone}` }, text);
}
