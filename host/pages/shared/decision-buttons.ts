import type { Decision } from './api-types.ts';
import { element, say } from './dom.ts';

const CHOICES = [
  { decision: 'approved', ask: 'Approve', confirm: 'Confirm approval' },
  { decision: 'denied', ask: 'Deny', confirm: 'Confirm denial' },
] as const;

/**
 * Approve and Deny. The first press turns a button into its confirmation, the second decides; Escape, or leaving the button, turns it
 * back. A double click or a key that is held down does not decide.
 */
export function decisionButtons(label: string, decide: (decision: Decision) => void): HTMLElement {
  const hint = element('p', { class: 'muted', role: 'status' });
  const buttons = CHOICES.map((choice) => choiceButton(choice, label, hint, decide));
  return element('div', { class: 'actions' }, ...buttons, hint);
}

function choiceButton(
  { decision, ask, confirm }: (typeof CHOICES)[number],
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
    say(hint, on ? `Press again to ${ask.toLowerCase()}, Escape to cancel.` : '');
  };
  button.addEventListener('click', ({ detail: clicks }) => {
    if (clicks > 1) return;
    if (armed) return decide(decision);
    arm(true);
    // Some browsers do not focus a button that is clicked; Escape and leaving would go unnoticed.
    button.focus();
  });
  button.addEventListener('keydown', (event) => {
    if (event.repeat && event.key !== 'Tab') event.preventDefault();
    if (event.key === 'Escape' && armed) arm(false);
  });
  button.addEventListener('blur', () => armed && arm(false));
  return button;
}
