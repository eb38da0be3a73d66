/** Runs the action of a button, unless it is already running. The button stays enabled, because a disabled button loses the focus. */
export async function oneAtATime(button: HTMLButtonElement, act: () => Promise<void>): Promise<void> {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  try {
    await act();
  } finally {
    button.ariaDisabled = null;
  }
}

/** Moves the focus to `place` if the element that had it was removed or hidden. Otherwise the next Tab would start at the top of the page. */
export function keepFocus(place: HTMLElement): void {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body || !activeElement.checkVisibility()) {
    place.tabIndex = -1;
    place.focus();
  }
}
