import { byId } from './dom.ts';

/**
 * Asks whether the key of a link is to replace the one of this tab: who wrote the link may want the visitor to work, and to be seen, under a
 * key of theirs. Escape is no; so is a second link while the question stands.
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
