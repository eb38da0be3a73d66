import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'machine.c');

/** Errors that a disk call can fail with. */
export type DiskError = 'ENOSPC' | 'EIO' | 'EROFS';

/** A write to a watched file, or a sync of it. `write+sync`: on disk when the call returned. `file`: index of the file, from 0. */
export type DiskEntry = { readonly file: number } & (
  | { readonly kind: 'write' | 'write+sync'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'sync' }
);

const KINDS = ['write', 'write+sync', 'sync'] as const;

/** Why the library cannot be built here; null if it can. Fails in CI. */
export function whyNoMachine(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return null;
  } catch {
    if (process.env.CI === 'true') return null;
    return 'needs a C compiler (cc)';
  }
}

/** A machine whose disk and clock the test controls, for processes started with its `env`. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-machine-'));
  readonly env: Record<string, string>;
  readonly #control: number;
  readonly #log: string;

  /** @param files only these files' writes and syncs are logged and can fail */
  constructor(...files: readonly string[]) {
    const library = join(this.folder, 'machine.so');
    execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl', '-lpthread']);
    const page = join(this.folder, 'control');
    writeFileSync(page, Buffer.alloc(16));
    this.#control = openSync(page, 'r+');
    this.#log = join(this.folder, 'log');
    this.env = { LD_PRELOAD: library, SVC_MACHINE_CONTROL: page, SVC_MACHINE_FILE: files.join(':'), SVC_MACHINE_LOG: this.#log };
  }

  /** Sets the wall clock off by this many seconds. */
  moveClock(seconds: number): void {
    const value = Buffer.alloc(8);
    value.writeBigInt64LE(BigInt(seconds));
    writeSync(this.#control, value, 0, 8, 0);
  }

  failWrites(error: DiskError | null): void {
    this.#setErrno(8, error);
  }

  failSyncs(error: DiskError | null): void {
    this.#setErrno(12, error);
  }

  #setErrno(at: number, error: DiskError | null): void {
    const value = Buffer.alloc(4);
    value.writeInt32LE(error === null ? 0 : constants.errno[error]);
    writeSync(this.#control, value, 0, 4, at);
  }

  /** Length of the log in bytes. Everything written and synced so far is before it. */
  get logged(): number {
    return statSync(this.#log).size;
  }

  /** The log from its beginning. `end` is where the entry ends. */
  *entries(): Generator<DiskEntry & { readonly end: number }> {
    const log = readFileSync(this.#log);
    for (let at = 0; at < log.length; ) {
      const kind = KINDS[log.readUInt16LE(at)];
      const file = log.readUInt16LE(at + 2);
      const length = log.readUInt32LE(at + 4);
      const offset = Number(log.readBigInt64LE(at + 8));
      const data = log.subarray(at + 16, at + 16 + length);
      at += 16 + length;
      if (kind === undefined) throw new Error(`entry of an unknown kind before ${at}`);
      yield kind === 'sync' ? { kind, file, end: at } : { kind, file, offset, data, end: at };
    }
  }

  dispose(): void {
    closeSync(this.#control);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
