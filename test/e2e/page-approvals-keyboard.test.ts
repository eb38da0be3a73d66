import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { focused, signInByKeyboard, tabTo } from '../harness/keyboard.ts';

let gateway: TestGateway;
let runs: string[];
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
  const pause = async (n: number): Promise<string> => (await gateway.chat(`wire transfer number-${n}.`)).body.svc_run_id;
  runs = [];
  for (let n = 0; n < 25; n += 1) runs.push(await pause(n));
});
afterAll(() => gateway.dispose());

const statusOf = async (run_id: string | undefined) => (await gateway.get(`/v1/runs/${run_id}`)).body.status;

describeInBrowser('the page /approvals by keyboard alone', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  async function signedIn(): Promise<Page> {
    const page = await browser.page(gateway);
    await signInByKeyboard(page, '/approvals', gateway, 'bob');
    await page.getByRole('article').first().waitFor();
    return page;
  }

  it('signs in, searches, edits, gives a reason and approves', async () => {
    const page = await signedIn();
    await tabTo(page, 'Search');
    await page.keyboard.type('number-13.');
    await page.getByText('1 of 25 requests match.').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await tabTo(page, 'Edit before approving');
    await page.keyboard.press('Enter');
    await tabTo(page, 'messages.0.content');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('wire transfer number-14.');
    await tabTo(page, 'Reason', 'Shift+Tab');
    await page.keyboard.type('A slip');
    await tabTo(page, 'Approve', 'Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('Confirm approval');
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Approve');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('You approved this request').waitFor();
    // The focus stays on the card that was decided.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('ARTICLE');
    const { body } = await gateway.get(`/v1/runs/${runs[13]}/decisions`);
    expect(body.decisions).toMatchObject([{ decision: 'approved', edited: expect.any(String), reason: 'A slip' }]);
  });

  it('shows more requests, denies one, and clears it', async () => {
    const page = await signedIn();
    await tabTo(page, 'Show 4 more of 4');
    await page.keyboard.press('Enter');
    await page.getByText('number-24.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toContain(runs[21]);
    await tabTo(page, 'Deny');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('You denied this request').waitFor();
    expect(await statusOf(runs[21])).toBe('denied');
    await tabTo(page, 'Clear decided requests');
    await page.keyboard.press('Enter');
    await page.getByText('You denied this request').waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
  });

  it.each([320, 390])('%i pixels wide: all controls of a request are large enough for a finger', async (width) => {
    const page = await browser.open(gateway, '/approvals', 'bob', { width, height: 844 });
    await page.getByRole('button', { name: 'Deny', exact: true }).first().waitFor();
    const small = await page.evaluate(
      "[...document.querySelectorAll('#app :is(button, input, summary)')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 44).map((e) => e.outerHTML)",
    );
    expect(small).toEqual([]);
  });
});
