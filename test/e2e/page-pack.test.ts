import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { PackScene } from '../command/pack-scene.ts';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';

let scene: PackScene;
let url: string;
beforeAll(async () => {
  scene = await PackScene.start();
  url = pathToFileURL(await scene.extracted('page')).href;
});
afterAll(() => scene?.dispose());

describeInBrowser('the page of an evidence pack', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it.each([
    ['light', 1280],
    ['dark', 390],
    ['light', 390],
    ['dark', 1280],
  ] as const)('opens from the folder, and asks for nothing: %s, %i px wide', async (colours, width) => {
    const view = await browser.page({ url }, { colours, width });
    await view.goto(`${url}/index.html`);
    expect([await violations(view), await overflows(view)]).toEqual([[], false]);
    const states: string[] = await view.getByRole('region', { name: 'Requirements' }).locator('.chip').allTextContents();
    expect(states).toEqual(['Not shown', 'Partly', 'Shown']);
  });

  it('links only to files of the pack', async () => {
    const view = await browser.page({ url });
    await view.goto(`${url}/index.html`);
    const links: string[] = await view.evaluate("[...document.querySelectorAll('a')].map((link) => link.href)");
    expect(links.length).toBeGreaterThan(20);
    for (const link of new Set(links)) expect(existsSync(fileURLToPath(link)), link).toBe(true);
  });
});
