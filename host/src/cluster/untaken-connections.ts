import type { Worker } from 'node:cluster';

/** How Node's cluster module hands a connection to a worker, and how the worker acknowledges it. */
interface Handover {
  readonly act?: string;
  readonly seq: number;
  readonly ack?: number;
}

interface Connection {
  close(): void;
}

/**
 * Node forgets a connection that it has handed to a worker which dies before it took it: the primary keeps it open, nobody answers, and
 * its client waits for ever. After this it is closed when the worker is gone, as the connections are that the worker had.
 */
export function closeUntakenOnDeath({ process: child }: Worker): void {
  const untaken = new Map<number, Connection>();
  const send = child.send.bind(child) as (...what: unknown[]) => boolean;
  child.send = (...what: unknown[]): boolean => {
    const [message, connection] = what as [Handover, Connection | undefined];
    if (message.act === 'newconn' && connection !== undefined) untaken.set(message.seq, connection);
    return send(...what);
  };
  child.on('internalMessage', ({ ack }: Handover) => {
    if (ack !== undefined) untaken.delete(ack);
  });
  const closeAll = (): void => {
    for (const connection of untaken.values()) connection.close();
    untaken.clear();
  };
  child.once('disconnect', closeAll);
  child.once('exit', closeAll);
}
