import { spawn } from 'node:child_process';
import type { Logger } from 'pino';

/**
 * Reports to systemd that the server is ready (`Type=notify`), so that units ordered after it wait for that. Does nothing if systemd did not ask for it
 * (`NOTIFY_SOCKET`). Node cannot send to this kind of socket, so `systemd-notify` does.
 */
export function reportReady(logger: Logger): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  const failed = (reason: string | number): void => logger.warn({ event: 'service_manager_unreachable', reason });
  spawn('systemd-notify', [`--pid=${process.pid}`, '--ready'], { stdio: 'ignore' })
    .on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.name))
    .on('exit', (code) => {
      if (code !== 0) failed(code ?? 'signal');
    });
}
