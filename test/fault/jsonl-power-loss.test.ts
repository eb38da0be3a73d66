import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { SEED } from './form.ts';
import { crashImage, FATES } from './machine/crash-image.ts';
import { Machine, whyNoMachine } from './machine/machine.ts';

const reason = whyNoMachine();

describe
  .skipIf(reason !== null)
  .concurrent(`power loss under the exporter jsonl (SVC_FAULT_SEED=${SEED})${reason === null ? '' : `: ${reason}`}`, () => {
    /** A gateway that exports into a folder, on a disk that remembers what it was given for this file of it. */
    async function scene(
      watched: string,
      play: (gateway: TestGateway, machine: Machine, folder: string) => Promise<void>,
    ): Promise<void> {
      const folder = mkdtempSync(join(tmpdir(), 'svc-jsonl-power-'));
      const machine = new Machine(join(folder, watched));
      const exporters = [{ type: 'jsonl', path: join(folder, 'evidence.jsonl') }];
      const gateway = await TestGateway.start({ config: echoConfig({ exporters }), env: machine.env });
      try {
        await play(gateway, machine, folder);
      } finally {
        await gateway.dispose();
        machine.dispose();
        rmSync(folder, { recursive: true, force: true });
      }
    }

    /** The last record that the gateway says the file has. */
    async function taken(gateway: TestGateway): Promise<number> {
      const { text } = await gateway.get('/metrics', null);
      return Number(/^svc_exporter_through_seq\{exporter="jsonl"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    }

    it('the file has every acknowledged record', async ({ expect }) => {
      await scene('evidence.jsonl', async (gateway, machine) => {
        const told: { through: number; logged: number }[] = [];
        for (let round = 0; round < 20; round += 1) {
          await gateway.chat('hello');
          told.push({ through: await taken(gateway), logged: machine.logged });
        }
        await expect.poll(() => taken(gateway), { timeout: 20_000 }).toBe(21);
        told.push({ through: 21, logged: machine.logged });
        await gateway.stop('SIGKILL');
        const entries = [...machine.entries()];
        for (const [index, { through, logged }] of told.entries()) {
          const before = entries.filter(({ end }) => end <= logged);
          for (const fate of FATES) {
            const lines = crashImage(before, fate, `image ${index}`).toString().split('\n').slice(0, through);
            expect(lines.map((line) => JSON.parse(line).seq)).toEqual(Array.from({ length: through }, (_, n) => n + 1));
          }
        }
      });
    });

    it("a new file's name is on disk before anything is acknowledged", async ({ expect }) => {
      await scene('', async (gateway, machine) => {
        await gateway.chat('hello');
        await expect.poll(() => taken(gateway), { timeout: 20_000 }).toBeGreaterThan(0);
        expect([...machine.entries()].map(({ kind }) => kind)).toContain('sync');
      });
    });

    it('a checkpoint is on the disk before it has its name', async ({ expect }) => {
      await scene('evidence.jsonl.checkpoint.new', async (gateway, machine, folder) => {
        await gateway.chat('hello');
        await expect.poll(() => existsSync(join(folder, 'evidence.jsonl.checkpoint')), { timeout: 25_000 }).toBe(true);
        const entries = [...machine.entries()];
        const last = entries.findLastIndex(({ kind }) => kind !== 'sync');
        expect(entries.slice(last).map(({ kind }) => kind)).toEqual(['write', 'sync']);
      });
    });
  });
