import type { Decision } from './api-types.ts';
import { element, say } from './dom.ts';

const CHOICES = [
  { decision: 'approved', ask: 'Approve', confirm: 'Confirm approval' },
  { decision: 'denied', ask: 'Deny', confirm: 'Confirm denial' },
] as const;

/**
 * The buttons Approve and Deny, or one of them. The first press asks for confirmation, the second decides. Escape, moving the focus, or pressing
 * elsewhere cancels.
 * A double click or a held key does not decide.
 * @param way follows the words on the buttons
 */
export function decisionButtons(
  label: string,
  decide: (decision: Decision) => void,
  way = '',
  offered: readonly Decision[] = ['approved', 'denied'],
): HTMLElement {
  const hint = element('p', { class: 'hint confirm', role: 'status' });
  const buttons = CHOICES.filter(({ decision }) => offered.includes(decision)).map(({ ask, ...choice }) =>
    choiceButton({ ...choice, ask: ask + way }, label, hint, decide),
  );
  return element('div', { class: 'actions' }, ...buttons, hint);
}

function choiceButton(
  { decision, ask, confirm }: { readonly decision: Decision; readonly ask: string; readonly confirm: string },
  label: string,
  hint: HTMLElement,
  decide: (decision: Decision) => void,
): HTMLButtonElement {
  const button = element('button', { type: 'button', 'aria-describedby': label }, ask);
  let armed = false;
  const arm = (on: boolean): void => {
    armed = on;
    button.classList.toggle('armed', on);
    say(button, on ? confirm : ask);
    const cancel = matchMedia('(any-hover: hover)').matches ? 'Escape' : 'anywhere else';
    say(hint, on ? `Press again to ${ask.toLowerCase()}, ${cancel} to cancel.` : '');
    // A touch screen has no Escape, and in some browsers touching text does not move the focus.
    if (on) document.addEventListener('pointerdown', leave);
    else document.removeEventListener('pointerdown', leave);
  };
  const leave = ({ target }: Event): void => {
    if (target !== button) arm(false);
  };
  button.addEventListener('click', ({ detail: clicks }) => {
    if (clicks > 1) return;
    if (armed) return decide(decision);
    arm(true);
    // Some browsers do not focus a clicked button, so Escape and leaving would go unnoticed.
    button.focus();
  });
  button.addEventListener('keydown', (event) => {
    if (event.repeat && event.key !== 'Tab') event.preventDefault();
    if (event.key === 'Escape' && armed) arm(false);
  });
  button.addEventListener('blur', () => armed && arm(false));
  return button;
}
