import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeInBrowser, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { ended, scenario, TITLES } from './showcase-scene.ts';

describeInBrowser('the page /showcase on another server', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it('draws the configured routes, and explains how to add missing scenarios, which then work', async () => {
    const config = echoConfig({
      packs: { 'my-guard': { type: 'rules', rules: [{ name: 'x', words: ['x'], verdict: 'block' }] } },
    });
    const routes = {
      special: {
        provider: 'local',
        model: 'echo-9',
        owner: 'treasury',
        risk_rating: 'high',
        pipeline: { ingress: ['my-guard'], egress: [] },
      },
    };
    const bare = await TestGateway.start({ here: true, config: { ...config, routes } });
    try {
      const page = await browser.open(bare, '/showcase', 'alice');
      expect(await page.locator('.stop').allInnerTexts()).toEqual([
        expect.stringContaining('my-guard'),
        expect.stringContaining('echo-9'),
      ]);
      expect(await page.locator('#route-facts').innerText()).toMatch(/treasury.*high risk/s);
      expect(await page.getByText('Not configured', { exact: true }).count()).toBe(TITLES.length);
      for (const summary of await page.locator('.missing > summary').all()) await summary.click();
      const column = await page.locator('.choose').boundingBox();
      for (const part of await page.locator('.missing').all())
        expect((await part.boundingBox())?.width).toBeLessThanOrEqual(column?.width ?? 0);
      expect(await violations(page)).toEqual([]);
      for (const [index, part] of (await page.locator('.missing pre').allInnerTexts()).entries()) {
        await bare.stop();
        const { auth = {} } = await readConfig(bare);
        await bare.configure(merged({ ...echoConfig(), auth }, parse(part)));
        await bare.launch();
        const after = await browser.open(bare, '/showcase', 'alice');
        await scenario(after, TITLES[index] ?? '').waitFor();
      }
    } finally {
      await bare.dispose();
    }
  }, 120_000);

  it('needs no key if the gateway requires none', async () => {
    const open = await TestGateway.start({ here: true, config: echoConfig(), args: ['--no-auth'] });
    try {
      const page = await browser.page(open);
      await page.goto('/showcase');
      await page.locator('#principal').filter({ hasText: 'anonymous' }).waitFor();
      await page.getByLabel('Or write your own message').fill('Hello.');
      await page.getByRole('button', { name: 'Send' }).click();
      await ended(page, 'completed');
    } finally {
      await open.dispose();
    }
  });

  it('reports a failed upstream', async () => {
    const away = { type: 'openai', base_url: 'http://127.0.0.1:9/v1', api_key: 'secret://env/AWAY#value' };
    const config = echoConfig({
      providers: { away },
      routes: { default: { provider: 'away', model: 'm', pipeline: { ingress: ['mask'], egress: [] } } },
    });
    const broken = await TestGateway.start({ here: true, config, env: { AWAY: 'k' } });
    try {
      const page = await browser.open(broken, '/showcase', 'alice');
      await page.getByLabel('Or write your own message').fill('Is anybody there?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('SVC-PROV-001').first().waitFor();
      await page.locator('.stop.execute.bad').waitFor();
      expect(await violations(page)).toEqual([]);
    } finally {
      await broken.dispose();
    }
  });
});

async function readConfig(of: TestGateway): Promise<JsonObject> {
  return JSON.parse(await readFile(join(of.folder, 'svc.yaml'), 'utf8'));
}

function merged(base: unknown, part: unknown): JsonObject {
  const both = { ...(base as JsonObject) };
  for (const [key, value] of Object.entries(part as JsonObject)) {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && key in both;
    both[key] = isMap ? merged(both[key], value) : value;
  }
  return both;
}
