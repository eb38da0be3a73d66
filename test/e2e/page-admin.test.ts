import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pinOf } from '@svc/kernel/plugins';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { focused, pressAt, signInByKeyboard, tabTo } from '../harness/keyboard.ts';
import { until } from '../harness/until.ts';

/** A package whose files are pinned. Packages that come with the gateway need no pin. */
const PINNED = '@fixture/banned-words';
const PIN = pinOf(join(import.meta.dirname, '../fixtures/packages/banned-words'));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    packages: ['banned-words'],
    config: echoConfig({
      plugins: { [PINNED]: PIN },
      packs: { banned: { type: 'banned-words', words: ['secret'] } },
      routes: { pinned: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['banned'], egress: [] } } },
      limits: [{ team: 'payments', requests_per_minute: 600 }],
      exporters: [{ type: 'jsonl', name: 'archive', path: 'archive.jsonl' }],
    }),
    principals: [
      { principal_id: 'ada', roles: ['admin', 'audit'] },
      { principal_id: 'ben', roles: ['audit'] },
      { principal_id: 'alice', roles: ['call'] },
    ],
  });
});
afterAll(() => gateway.dispose());

/** Rewrites the limit in the file that the gateway was started with. */
async function writeLimit(before: string, after: string): Promise<void> {
  const path = join(gateway.folder, 'svc.yaml');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(`"requests_per_minute": ${before}`, `"requests_per_minute": ${after}`));
}

const dialog = (page: Page) => page.getByRole('dialog');

describeInBrowser('the page /admin', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it.each([
    ['light', 1280],
    ['dark', 390],
    ['dark', 320],
  ] as const)('shows everything, %s, %i px wide', async (colours, width) => {
    const page = await browser.open(gateway, '/admin', 'ada', { colours, width });
    await page.getByRole('region', { name: 'Limits' }).getByRole('cell', { name: '600' }).waitFor();
    await page.getByRole('region', { name: 'Plugins' }).getByRole('rowheader', { name: '@svc/guard-rules' }).waitFor();
    await page.getByRole('region', { name: 'Exporters' }).getByRole('rowheader', { name: 'archive' }).waitFor();
    await page.getByRole('region', { name: 'Operations log' }).getByText('gateway.started').first().waitFor();
    expect([await violations(page), await overflows(page)]).toEqual([[], false]);
    await page.getByRole('button', { name: 'Create a key…' }).click();
    await dialog(page).waitFor();
    expect([await violations(page), await overflows(page)]).toEqual([[], false]);
  });

  it('shows the pin of a plugin that is pinned, and which plugins are not', async () => {
    const page = await browser.open(gateway, '/admin', 'ben');
    const row = (name: string) => page.getByRole('region', { name: 'Plugins' }).getByRole('row').filter({ hasText: name });
    await row(PINNED).waitFor();
    expect(await row(PINNED).getByRole('cell').allTextContents()).toEqual(['1.0.0', expect.stringContaining(PIN.slice(7, 15))]);
    expect(await row(PINNED).locator('code').getAttribute('title')).toBe(PIN);
    expect((await row('@svc/guard-rules').getByRole('cell').allTextContents())[1]).toBe('none');
    const { plugins } = (await gateway.get('/v1/operations/configuration', 'ben')).body;
    expect(plugins.find((plugin: { package: string }) => plugin.package === PINNED)).toMatchObject({ pin: PIN });
  });

  it.each([390, 320])('is marked as the current page in the navigation, %i px wide', async (width) => {
    const page = await browser.open(gateway, '/admin', 'ada', { width });
    await page.locator('#principal').filter({ hasText: 'ada' }).waitFor();
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Admin' });
    const isSeen = async (): Promise<boolean> => {
      const [own, around] = await Promise.all([
        link.boundingBox(),
        page.getByRole('navigation', { name: 'Pages' }).boundingBox(),
      ]);
      if (own === null || around === null) return false;
      return own.x >= around.x - 1 && own.x + own.width <= around.x + around.width + 1;
    };
    await until(isSeen);
  });

  it('creates, replaces and revokes a key, by the keyboard alone', async () => {
    const page = await browser.page(gateway);
    await signInByKeyboard(page, '/admin', gateway, 'ada');
    const open = async (name: string, key?: string): Promise<void> => {
      await page.getByRole('button', { name }).first().waitFor();
      await pressAt(page, name, key);
      await dialog(page).waitFor();
    };
    await open('Create a key…');
    await page.keyboard.type('carol');
    for (let fields = 0; fields < 4; fields += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('30');
    await page.keyboard.press('Enter');
    const row = page.getByRole('region', { name: 'Keys' }).getByRole('row').filter({ hasText: 'carol' });
    await row.waitFor();
    const key = await page.locator('#new-key code').textContent();
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    await open('Rotate… the key of carol');
    await page.keyboard.type('the laptop was lost');
    await page.keyboard.press('Enter');
    await row.nth(1).waitFor();
    await open('Revoke… the key of carol');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('revoked', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Operations log' }).getByText('key.revoked').waitFor();
  });

  it('stops a route and enables it again, by the keyboard alone', async () => {
    const page = await browser.page(gateway);
    await signInByKeyboard(page, '/admin', gateway, 'ada');
    await page.getByText('Nothing is stopped or restricted.').waitFor();
    await pressAt(page, 'Stop something…');
    expect(await focused(page)).toBe('Kind');
    expect(await tabTo(page, 'Name')).toBe(1);
    await page.keyboard.type('nobody');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').filter({ hasText: 'unknown route' }).waitFor();
    // The focus stays where the mistake is.
    expect(await focused(page)).toBe('Name');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('default');
    expect(await tabTo(page, 'Reason (optional)')).toBe(2);
    await page.keyboard.type('a keyboard');
    expect(await tabTo(page, 'Stop')).toBe(2);
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'a keyboard' }).getByRole('button').waitFor();
    expect((await gateway.chat('hello', { principal: 'alice' })).body.code).toBe('SVC-OPS-001');
    expect(await focused(page)).toBe('Stop something…');
    expect(await tabTo(page, 'Enable… route default')).toBeLessThanOrEqual(2);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await pressAt(page, 'Enable');
    await page.getByText('Nothing is stopped or restricted.').waitFor();
    expect((await gateway.chat('hello', { principal: 'alice' })).status).toBe(200);
    // The row is gone, so the focus is on the report of what was done.
    await until(async () => (await focused(page)) === 'The route default is enabled.');
  });

  it('checks and applies a changed file, by the keyboard alone', async () => {
    const page = await browser.page(gateway);
    await signInByKeyboard(page, '/admin', gateway, 'ada');
    await page.getByRole('button', { name: 'Check the file' }).waitFor();
    await pressAt(page, 'Check the file');
    await page.getByText('The file matches the active configuration.').waitFor();
    expect(await focused(page)).toBe('Check the file');
    await writeLimit('600', '650');
    await page.keyboard.press('Enter');
    await page.getByText('One entry differs').waitFor();
    expect(await tabTo(page, 'Apply the file…')).toBe(1);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    expect(await focused(page)).toBe('Reason (optional)');
    await page.keyboard.type('by keyboard');
    expect(await tabTo(page, 'Apply')).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Limits' }).getByRole('cell', { name: '650' }).waitFor();
    await until(async () => (await focused(page)) === 'The configuration file was applied: 1 change.');
    await writeLimit('650', '600');
    expect(await page.getByRole('button', { name: 'Apply the file…' }).isVisible()).toBe(false);
    await pressAt(page, 'Check the file');
    await page.getByText('One entry differs').waitFor();
    await pressAt(page, 'Apply the file…');
    await dialog(page).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Limits' }).getByRole('cell', { name: '600' }).waitFor();
  });

  it('shows what is wrong with a change, and keeps the input', async () => {
    const page = await browser.open(gateway, '/admin', 'ada');
    await page.getByRole('button', { name: 'Create a key…' }).click();
    await page.getByLabel('Principal').fill('dora');
    await page.getByLabel('Valid for days').fill('soon');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByRole('alert').filter({ hasText: 'Valid for days' }).waitFor();
    expect(await page.getByLabel('Principal').inputValue()).toBe('dora');
  });

  it('stops a route for some time, and enables it again', async () => {
    const page = await browser.open(gateway, '/admin', 'ada');
    await page.getByRole('button', { name: 'Stop something…' }).click();
    await page.getByLabel('Name').fill('nobody');
    await dialog(page).getByRole('button', { name: 'Stop' }).click();
    await dialog(page).getByRole('alert').filter({ hasText: 'unknown route' }).waitFor();
    await page.getByLabel('Name').fill('default');
    await page.getByLabel('Reason').fill('a leak');
    await page.getByLabel('For (optional)').fill('30m');
    await dialog(page).getByRole('button', { name: 'Stop' }).click();
    const row = page.getByRole('region', { name: 'Stopped or restricted' }).getByRole('row').filter({ hasText: 'a leak' });
    await row.waitFor();
    expect((await gateway.chat('hello', { principal: 'alice' })).status).not.toBe(200);
    await row.getByRole('button', { name: 'Enable…' }).click();
    await dialog(page).getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Nothing is stopped or restricted.').waitFor();
    expect((await gateway.chat('hello', { principal: 'alice' })).status).toBe(200);
  });

  it('checks a changed file, shows errors in it, and applies it', async () => {
    const page = await browser.open(gateway, '/admin', 'ada');
    const check = page.getByRole('button', { name: 'Check the file' });
    await check.click();
    await page.getByText('The file matches the active configuration.').waitFor();
    await writeLimit('600', '"many"');
    await check.click();
    await page.getByRole('region', { name: 'Findings' }).getByRole('cell', { name: 'SVC-POL-001' }).waitFor();
    expect(await page.getByRole('button', { name: 'Apply the file…' }).isVisible()).toBe(false);
    await writeLimit('"many"', '700');
    await check.click();
    await page.getByText('One entry differs').waitFor();
    expect([await violations(page), await overflows(page)]).toEqual([[], false]);
    await page.getByRole('button', { name: 'Apply the file…' }).click();
    await page.getByLabel('Reason').fill('more for payments');
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('region', { name: 'Limits' }).getByRole('cell', { name: '700' }).waitFor();
    await page.getByRole('region', { name: 'Operations log' }).getByText('more for payments').waitFor();
  });

  it('can be read by auditors, and by no one else', async () => {
    const page = await browser.open(gateway, '/admin', 'ben');
    await page.getByRole('region', { name: 'Operations log' }).getByText('gateway.started').first().waitFor();
    for (const name of ['Check the file', 'Create a key…', 'Stop something…'])
      expect(await page.getByRole('button', { name }).isVisible()).toBe(false);
    const other = await browser.open(gateway, '/admin', 'alice');
    await other.getByRole('alert').filter({ hasText: 'alice cannot see this page' }).waitFor();
  });

  it('shows older entries, and why they cannot be read', async () => {
    for (let n = 0; n < 51; n += 1) {
      const body = { state: n % 2 === 0 ? 'disabled' : 'enabled' };
      const { status } = await gateway.request('PUT', '/v1/operations/states/principal/alice', { principal: 'ada', body });
      expect(status).toBe(200);
    }
    const page = await browser.open(gateway, '/admin', 'ada');
    const entries = page.getByRole('region', { name: 'Operations log' }).getByRole('rowheader');
    const older = page.getByRole('button', { name: 'Show 50 older entries' });
    await older.waitFor();
    expect(await entries.count()).toBe(50);
    await page.route('**/v1/audit/operations?*', (route) => route.abort());
    await older.click();
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    await page.unroute('**/v1/audit/operations?*');
    await older.click();
    await entries.nth(50).waitFor();
    expect(await page.locator('#problem').isVisible()).toBe(false);
  });
});
