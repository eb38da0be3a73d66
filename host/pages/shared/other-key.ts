import { byId } from './dom.ts';

/**
 * Asks whether the key in a link may replace the key of this tab: the author of the link may want the visitor to act,
 * and be seen, under the author's key. Escape means no, and so does a second link while the question is open.
 */
export async function wantsOtherKey(): Promise<boolean> {
  const dialog = byId('other-key', HTMLDialogElement);
  if (dialog.open) return false;
  dialog.returnValue = '';
  const closed = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  dialog.showModal();
  await closed;
  return dialog.returnValue === 'switch';
}
