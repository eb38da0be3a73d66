import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delayed } from 'node:timers/promises';
import type { Machine } from '../fault/machine/machine.ts';
import type { TestGateway } from '../harness/gateway.ts';
import type { Model } from './model.ts';
import type { Receiver } from './receiver.ts';
import { workersOf } from './samples.ts';
import type { Fault, FaultName } from './schedule.ts';

const POLL_MS = 100;
/** For a worker to be replaced, a configuration to be applied, and a gateway to end. */
const TIMEOUT_MS = 60_000;

export interface Scene {
  readonly gateway: TestGateway;
  readonly model: Model;
  readonly receiver: Receiver;
  /** Null: no C compiler, so the disk is left alone. */
  readonly machine: Machine | null;
}

/** Makes faults, and counts them. */
export class Faults {
  readonly made = new Map<FaultName, number>();
  /** When something was wrong, from the start of a fault until the gateway had recovered, in milliseconds of the monotonic clock. */
  readonly windows: { readonly from: number; readonly to: number }[] = [];
  /** What did not recover as promised. */
  readonly failures: string[] = [];
  readonly #scene: Scene;
  #version = 0;
  #outputBefore = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Makes a fault and ends it after its time. Resolves when the gateway has recovered. */
  async make({ name, lasts }: Fault): Promise<void> {
    if (name === 'disk full' && this.#scene.machine === null) return;
    this.made.set(name, (this.made.get(name) ?? 0) + 1);
    const from = performance.now();
    try {
      await this.#make(name, lasts * 1_000);
    } catch (error) {
      this.failures.push(`${name}: ${String(error)}`);
    }
    // Callers notice nothing of the other two.
    if (name !== 'receiver away' && name !== 'reload') this.windows.push({ from, to: performance.now() });
  }

  async #make(name: FaultName, ms: number): Promise<void> {
    const { gateway, model, receiver, machine } = this.#scene;
    switch (name) {
      case 'kill worker': {
        const [victim] = workersOf(gateway.pid);
        if (victim === undefined) throw new Error('no worker');
        process.kill(victim, 'SIGKILL');
        await until('the worker to be replaced', async () => workersOf(gateway.pid).length > 1 && (await isHealthy(gateway)));
        return;
      }
      case 'kill gateway':
        await gateway.stop('SIGKILL');
        await gateway.allEnded();
        await gateway.launch();
        return;
      case 'disk full':
        // Output of earlier launches and faults says nothing about this one.
        this.#outputBefore = gateway.output.length;
        machine?.failWrites('ENOSPC');
        await delayed(ms);
        machine?.failWrites(null);
        await this.#afterDisk();
        return;
      case 'reload':
        return this.#reload();
      case 'receiver away':
        await receiver.close();
        await delayed(ms);
        await receiver.listen();
        return;
      default:
        model.manner = name;
        await delayed(ms);
        model.manner = 'healthy';
    }
  }

  /** A gateway whose store reports a failed write serves nothing until it is restarted, as its documentation says. */
  async #afterDisk(): Promise<void> {
    const { gateway } = this.#scene;
    try {
      const code = await stopInTime(gateway);
      // LMDB's message about a failed write overruns its buffer, which the C library may find.
      if (code === null && !/malloc|free\(\)|corrupted/.test(gateway.output.slice(this.#outputBefore)))
        throw new Error('the gateway was killed');
    } finally {
      await gateway.allEnded();
      await gateway.launch();
    }
  }

  async #reload(): Promise<void> {
    const { gateway } = this.#scene;
    this.#version += 1;
    const before = await digestOf(gateway);
    const file = await readFile(join(gateway.folder, 'svc.yaml'), 'utf8');
    await gateway.configure(JSON.parse(file.replaceAll(/<ACCOUNT[^>]*>/g, `<ACCOUNT ${this.#version}>`)));
    process.kill(gateway.pid, 'SIGHUP');
    await until('the changed configuration', async () => (await digestOf(gateway)) !== before);
  }
}

/**
 * Stops the gateway, and kills it if it does not end.
 * @throws {Error} if it was killed
 */
export async function stopInTime(gateway: TestGateway): Promise<number | null> {
  const late = setTimeout(() => void gateway.stop('SIGKILL'), TIMEOUT_MS);
  const began = performance.now();
  const code = await gateway.stop();
  clearTimeout(late);
  if (performance.now() - began >= TIMEOUT_MS) throw new Error(`the gateway did not end within ${TIMEOUT_MS / 1000} s`);
  return code;
}

async function isHealthy(gateway: TestGateway): Promise<boolean> {
  return (await gateway.get('/v1/health', 'auditor').catch(() => null))?.status === 200;
}

async function digestOf(gateway: TestGateway): Promise<string> {
  return (await gateway.get('/v1/health', 'auditor')).body.config_digest;
}

/** @throws {Error} if it does not become true in time */
export async function until(what: string, isSo: () => Promise<boolean>, timeout_ms = TIMEOUT_MS): Promise<void> {
  const late = performance.now() + timeout_ms;
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error(`waited ${timeout_ms / 1000} s for ${what}`);
    await delayed(POLL_MS);
  }
}
