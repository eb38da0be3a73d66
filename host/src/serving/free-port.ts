import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Checks early that the gateway can listen on an address, because a start that fails later has already written records.
 * @throws {Error} of the operating system, such as `EADDRINUSE`
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const probe = createServer((socket) => socket.destroy());
  // If the system chooses the port, only the host is checked.
  probe.listen({ host, port });
  await once(probe, 'listening');
  probe.close();
}
