import koffi from 'koffi';

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** A process whose library hangs does not notice that its parent was killed. Linux ends it then. */
export function dieWithParent(): void {
  if (process.platform !== 'linux') return;
  try {
    koffi.load(null).func('int prctl(int option, unsigned long signal)')(PR_SET_PDEATHSIG, SIGKILL);
  } catch {
    // Without it, the process ends when the library returns.
  }
}
