import type { ChildProcess } from 'node:child_process';
import type { MessagePort } from 'node:worker_threads';
import type { Channel } from '../../host/src/store-channel/messages.ts';

/** One end of a `MessageChannel`. */
export function portChannel(port: MessagePort): Channel {
  return {
    post: (message) => port.postMessage(message),
    onMessage: (take) => void port.on('message', take),
    onClose: (closed) => void port.once('close', closed),
  };
}

/** The IPC channel to a child process, or from this process to its parent. The process must be spawned with `serialization: 'advanced'`. */
export function processChannel(other: ChildProcess | NodeJS.Process): Channel {
  return {
    post: (message) => {
      if (other.connected) other.send?.(message as object, undefined, undefined, () => undefined);
    },
    onMessage: (take) => void other.on('message', take),
    onClose: (closed) => void other.once('disconnect', closed),
  };
}

/** A message on one of several channels that share an IPC connection, with its time of sending. */
export interface Numbered {
  readonly line: number;
  readonly now: number;
  readonly sent: unknown;
}

/** Channel number n of several that share one connection. */
export function lineOf(channel: Channel, line: number, now: () => number = () => 0): Channel {
  return {
    post: (sent) => channel.post({ line, now: now(), sent } satisfies Numbered),
    onMessage: (take) =>
      channel.onMessage((message) => {
        const numbered = message as Numbered;
        if (numbered.line === line) take(numbered.sent);
      }),
    onClose: (closed) => channel.onClose(closed),
  };
}

/** The number of lines of each folder that the process holds. It is more than any test opens. */
export const LINES = 8;

/** An order to the process that holds folders: to open one, to start a worker on it, or, without both, to close it. */
export interface Order {
  /** The number of the folder. Its lines are those from `LINES` times this number. */
  readonly place: number;
  readonly open?: string;
  readonly work?: string;
}

export function isOrder(message: unknown): message is Order {
  return typeof message === 'object' && message !== null && 'place' in message;
}
