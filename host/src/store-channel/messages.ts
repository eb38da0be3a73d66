import type { Counters, RunChange, SeqRange, Store, StoreErrorCode } from '@svc/contracts';

/** One end of a connection between two processes or threads. Messages are cloned, and arrive in order. */
export interface Channel {
  /** Does nothing if the other end is gone. */
  post(message: unknown): void;
  onMessage(take: (message: unknown) => void): void;
  onClose(closed: () => void): void;
}

/** A change as JSON, except for its content. Cloning would take three times as long. */
export type CrossingChange = readonly [json: string, content: RunChange['put_content']];

type Passed =
  | 'run'
  | 'runOfKey'
  | 'statuses'
  | 'runs'
  | 'countRuns'
  | 'content'
  | 'eraseContent'
  | 'runsWithContent'
  | 'expireContent'
  | 'head'
  | 'sessionHead'
  | 'records'
  | 'recordsBySeq'
  | 'acquireLease'
  | 'releaseLease'
  | 'leaseHolder'
  | 'forgetLeases'
  | 'now'
  | 'cursor'
  | 'moveCursor'
  | 'readMeta'
  | 'writeMeta';

/**
 * The store methods that a gateway uses while it serves. Copies of the whole store (`dump`, `load`, `backup`) are for commands, which open the store
 * themselves.
 */
export interface Asks extends Pick<Store, Passed> {
  commit(changes: readonly CrossingChange[], records: Parameters<Store['commit']>[1]): ReturnType<Store['commit']>;
  reserve: Counters['reserve'];
  readCounters: Counters['read'];
  whenChecked(): Promise<void>;
}

export type Asked = keyof Asks;

export interface StoreCall<A extends Asked = Asked> {
  readonly id: number;
  readonly asked: A;
  readonly args: Parameters<Asks[A]>;
}

export type CrossingError =
  | { readonly kind: 'store'; readonly code: StoreErrorCode; readonly message: string; readonly damaged_seqs: SeqRange | null }
  | { readonly kind: 'cursor'; readonly message: string }
  | { readonly kind: 'other'; readonly name: string; readonly message: string };

export type StoreAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: CrossingError });
