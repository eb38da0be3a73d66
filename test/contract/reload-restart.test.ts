import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { answer, held } from '../fixtures/upstream.ts';
import { echoConfig } from '../harness/gateway.ts';
import { ReloadingGateway } from './reloading-gateway.ts';

const scene = new ReloadingGateway();
const { start, write, apply, applied, digest, counting } = scene;

describe('a start with a file other than the recorded one', () => {
  const more = (name: string) =>
    echoConfig({ routes: { [name]: { provider: 'local', model: 'm', pipeline: { ingress: [], egress: [] } } } });
  /** What was said so far; an order waits for what the start does. */
  const told = async (): Promise<JsonObject[]> => {
    expect((await apply({ dry_run: true })).status).toBe(200);
    const lines = scene.gateway.output.split('\n').filter((line) => line.includes('"event":"configuration_differs"'));
    return lines.map((line) => JSON.parse(line));
  };
  const restart = async (): Promise<void> => {
    await scene.gateway.stop();
    await scene.gateway.launch();
  };

  it('is reported once, and the file applies', async () => {
    await start(echoConfig());
    const first = await digest();
    await restart();
    expect(await told()).toEqual([]);
    await write(more('second'));
    await restart();
    const second = await digest();
    expect(await told()).toMatchObject([{ applied_digest: first, file_digest: second, config_digest: second }]);
    await restart();
    expect(await told()).toHaveLength(1);
    expect(await digest()).toBe(second);
  });

  it('is also reported if the recorded file was applied while serving', async () => {
    await start(echoConfig());
    const { active_digest } = await applied(more('second'));
    await restart();
    expect(await told()).toEqual([]);
    await write(more('third'));
    await restart();
    expect(await told()).toMatchObject([{ applied_digest: active_digest, file_digest: await digest() }]);
    await restart();
    expect(await told()).toHaveLength(1);
  });

  it('is reported if the recorded file can no longer be read', async () => {
    await start(echoConfig());
    const first = await digest();
    const model = held(answer('now'));
    scene.upstream.respond(model.behaviour);
    await write(counting({ waits_for: scene.upstream.url }));
    await scene.gateway.stop();
    const launched = scene.gateway.launch();
    await scene.upstream.received(1);
    await rm(join(scene.gateway.folder, 'svc.yaml'));
    model.release();
    await launched;
    await scene.gateway.logged('configuration_differs');
    await write(counting({ waits_for: scene.upstream.url }));
    expect(await told()).toMatchObject([{ applied_digest: first, file_digest: null, config_digest: await digest() }]);
  });
});
