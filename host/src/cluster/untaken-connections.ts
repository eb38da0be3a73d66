import type { Worker } from 'node:cluster';

/** The message with which Node's cluster module hands a connection to a worker, and the worker's acknowledgement. */
interface Handover {
  readonly act?: string;
  readonly seq: number;
  readonly ack?: number;
}

interface Connection {
  close(): void;
}

/**
 * Closes connections that were handed to a worker that died before it acknowledged them. Node's primary would keep them open, and their clients would
 * wait forever.
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
