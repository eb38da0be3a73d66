import { breakable } from './breakable.ts';
import { element } from './dom.ts';
import { type Block, messageBlocks } from './message-blocks.ts';
import { speakerOf, type Turn } from './turns.ts';

/** A text of this length may need scrolling, so it must be focusable. */
const LONG_TEXT = 1000;

export function messageView(message: Turn, title: string = speakerOf(message)): HTMLElement {
  const blocks = messageBlocks(message);
  const shown = blocks.length === 0 ? [element('p', { class: 'muted' }, 'empty')] : blocks.flatMap(blockView);
  return element('div', { class: 'message' }, element('p', { class: 'role' }, title), ...shown);
}

function blockView(block: Block): HTMLElement[] {
  switch (block.kind) {
    case 'text':
      return [textView(block.text, 'text')];
    case 'image':
      return [element('img', { src: block.src, alt: 'image in the message' })];
    case 'field':
      return [element('p', { class: 'label' }, block.label), textView(block.text, 'text mono')];
  }
}

function textView(text: string, style: string): HTMLElement {
  return textFrame(style, [text]);
}

/** A place for a text of any length. */
export function textFrame(style: string, parts: readonly (Node | string)[]): HTMLElement {
  const pieces = parts.flatMap((part) => (typeof part === 'string' ? breaks(part) : [part]));
  const frame = element('div', { class: style, dir: 'auto' }, ...pieces);
  const text = frame.textContent ?? '';
  if (text.length > LONG_TEXT || text.split('\n').length > 15) {
    for (const [name, value] of Object.entries({ tabindex: '0', role: 'group', 'aria-label': 'text' }))
      frame.setAttribute(name, value);
  }
  return frame;
}

/** A text whose long words can break. */
export function breaks(text: string, word?: RegExp): (Node | string)[] {
  return breakable(text, word).flatMap((piece, index) => (index === 0 ? [piece] : [element('wbr'), piece]));
}
