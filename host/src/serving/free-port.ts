import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Finds out early whether an address can be listened on: a start that fails later has recorded itself and its models already.
 * @throws {Error} of the operating system, such as `EADDRINUSE`
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const probe = createServer((socket) => socket.destroy());
  // A port that is still to be chosen may be any: the host must exist all the same.
  probe.listen({ host, port });
  await once(probe, 'listening');
  probe.close();
}
