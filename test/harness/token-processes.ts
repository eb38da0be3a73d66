import { readdirSync, readFileSync } from 'node:fs';
import type { SoftHsm } from './softhsm.ts';

/** The processes that use the library with this token. Linux only. */
export function tokenProcesses({ env }: SoftHsm): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && of(pid, 'cmdline').includes('token-process') && of(pid, 'environ').includes(env.SOFTHSM2_CONF));
}

/** Empty: there is no such process, or it has ended. */
function of(pid: number, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
