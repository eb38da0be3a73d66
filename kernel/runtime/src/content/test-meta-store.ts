import type { Lease } from '@svc/contracts';
import type { MetaStore } from './namespace-keys.ts';

/** Meta values in memory. Leases are always granted. */
export class TestMetaStore implements MetaStore {
  readonly meta = new Map<string, string>();

  async readMeta(key: string): Promise<string | null> {
    return this.meta.get(key) ?? null;
  }

  async writeMeta(key: string, expected: string | null, value: string): Promise<boolean> {
    if ((this.meta.get(key) ?? null) !== expected) return false;
    this.meta.set(key, value);
    return true;
  }

  async acquireLease(name: string, holder: string): Promise<Lease> {
    return { name, holder, token: 1 };
  }

  async releaseLease(): Promise<void> {}
}
