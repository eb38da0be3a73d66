import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { button, cardOf, openPolling, poll } from '../harness/approvals-page.ts';
import { describeInBrowser, look, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['mask', 'policy'], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      approvals: { max_paused_per_principal: 1000 },
      routes: {
        carols: { ...route, approvers: ['carol'], risk_rating: 'low' },
        strict: { ...route, approvals: 2, approval_reason: 'required' },
      },
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob' },
      { principal_id: 'carol' },
      { principal_id: 'dave', roles: ['call'] },
      { principal_id: 'erin', routes: ['carols'] },
    ],
  });
});
afterAll(() => gateway.dispose());

/** A run that waits; its text is how a test finds its card. */
async function waiting(text: string, model = 'default'): Promise<string> {
  const { body } = await gateway.chat(`wire transfer ${text}`, { model });
  return body.svc_run_id;
}
const decide = (run_id: string, decision: string, principal: string) =>
  gateway.post(`/v1/runs/${run_id}/resume`, { decision }, principal);
const statusOf = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body.status;
/** Other tests leave requests, too. */
const search = (page: Page, text: string) => page.getByLabel('Search').fill(text);

describeInBrowser('the page /approvals', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  describe('signing in', () => {
    it('by the form: not with a malformed or unknown key', async () => {
      const page = await browser.page(gateway);
      await page.goto('/approvals');
      const key = page.getByLabel('API key');
      const problem = page.locator('#sign-in-problem');
      await key.fill('secret');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await problem.filter({ hasText: '64 hexadecimal' }).waitFor();
      await key.fill(`svc-${'0'.repeat(64)}`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await problem.filter({ hasText: 'Unknown API key' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await key.fill(gateway.key('bob'));
      await key.press('Enter');
      await page.getByRole('heading', { name: 'Approvals' }).waitFor();
      await page.locator('#principal').filter({ hasText: 'bob' }).waitFor();
    });

    it('by a link, whose key leaves the address; until signing out', async () => {
      const page = await browser.open(gateway, '/approvals', 'bob');
      expect(page.url()).toBe(`${gateway.url}/approvals`);
      await page.reload();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
      await page.reload();
      await page.getByLabel('API key').waitFor();
    });

    it.each([320, 1280])('by a link with another key only if the visitor confirms it: %i px', async (width) => {
      const page = await browser.open(gateway, '/approvals', 'alice', { width });
      const question = page.getByRole('dialog', { name: 'Sign in with a different key?' });
      const isAlice = () => page.locator('#principal').filter({ hasText: 'alice' }).waitFor();
      // Into the page that is shown, and into one that loads.
      for (const path of ['/approvals', '/showcase']) {
        for (const answer of ['Escape', 'Enter']) {
          await page.goto(`${path}#key=${gateway.key('bob')}`);
          await question.waitFor();
          // The browser reports the address of the page later.
          expect(await page.evaluate('location.href')).toBe(`${gateway.url}${path}`);
          await isAlice();
          // The dialog is the same for both answers.
          if (answer === 'Enter') expect([await overflows(page), await violations(page)]).toEqual([false, []]);
          // A second link changes nothing of what is asked.
          await page.evaluate(
            `new Promise((seen) => { addEventListener('hashchange', seen, { once: true }); location.hash = 'key=${gateway.key('carol')}'; })`,
          );
          await page.keyboard.press(answer);
          await question.waitFor({ state: 'hidden' });
          await page.reload();
          await isAlice();
        }
      }
      await page.goto(`/showcase#key=${gateway.key('alice')}`);
      await isAlice();
      expect(await question.isVisible()).toBe(false);
      await page.evaluate(`location.hash = 'key=${gateway.key('bob')}'`);
      await page.getByRole('button', { name: 'Use the link’s key' }).click();
      await page.locator('#principal').filter({ hasText: 'bob' }).waitFor();
      await page.reload();
      await page.locator('#principal').filter({ hasText: 'bob' }).waitFor();
    });
  });

  it('shows a new run without a reload, after the older ones: who, route, risk, reason of the pause, request and history', async () => {
    const page = await browser.open(gateway, '/approvals', 'bob');
    await page.getByText('Live', { exact: true }).waitFor();
    const run_id = await waiting('one ACC-77');
    const one = cardOf(page, 'wire transfer one');
    await one.waitFor();
    await waiting('two');
    await page.locator('article').last().filter({ hasText: 'wire transfer two' }).waitFor();
    const text = await one.innerText();
    for (const told of [
      run_id,
      'alice',
      'default',
      'high risk',
      'risk-team',
      'policy',
      'wire',
      'just now',
      'in 29 days',
      '<ACCOUNT>',
    ]) {
      expect(text).toContain(told);
    }
    expect(text).not.toContain('ACC-77');
    await one.locator('summary', { hasText: 'events' }).click();
    await one.getByText('policy requires approval').waitFor();
    expect(await one.locator('.trail > li').allInnerTexts()).toMatchObject(
      [/mask.*masked/s, /policy.*needs approval/s, /echo-1/, /mask/].map((part) => expect.stringMatching(part)),
    );
  });

  it('goes to the request of a link in the text of a pause', async () => {
    const linked = await waiting('linked');
    await waiting('newer');
    const page = await browser.open(gateway, '/approvals', 'bob');
    await page.goto(`/approvals#run=${linked}`);
    await page.reload();
    await page.locator('article:focus').filter({ hasText: 'wire transfer linked' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    expect(await page.locator('#summary').innerText()).toMatch(/^1 of \d+ requests match\.$/);
  });

  it('shows content as text, never as markup', async () => {
    await waiting('<img src=x onerror=alert(1)> <b>bold</b> \u202Ehidden');
    const page = await browser.open(gateway, '/approvals', 'bob');
    const card = cardOf(page, '<img src=x onerror=alert(1)>');
    await card.waitFor();
    expect(await card.locator('img, b').count()).toBe(0);
    expect(await card.innerText()).toContain('⟨U+202E⟩');
  });

  it('approves with one confirmation; a double click does not confirm', async () => {
    const run_id = await waiting('to approve');
    const page = await browser.open(gateway, '/approvals', 'bob');
    const card = cardOf(page, 'to approve');
    await button(card, 'Approve').dblclick();
    await card.getByText('Press again to approve').waitFor();
    expect(await statusOf(run_id)).toBe('paused');
    await button(card, 'Confirm approval').click();
    await page.getByText('You approved this request. It has completed').waitFor();
    expect((await gateway.ledger()).find((record) => record.run_id === run_id)).toMatchObject({
      status: 'completed',
      approver: { principal_id: 'bob', decision: 'approved' },
    });
  });

  it('denies, and cancels a press by Escape or a press elsewhere', async () => {
    const run_id = await waiting('to deny');
    const page = await browser.open(gateway, '/approvals', 'bob', { width: 390 });
    const card = cardOf(page, 'to deny');
    await button(card, 'Approve').click();
    await page.keyboard.press('Escape');
    await button(card, 'Deny').click();
    await card.getByText('user', { exact: true }).click();
    await button(card, 'Deny').click();
    // What is below the buttons stays where it is when the confirmation goes.
    await card.locator('summary', { hasText: 'events' }).click();
    await card.getByText('policy requires approval').waitFor();
    await button(card, 'Deny').click();
    await button(card, 'Confirm denial').click();
    await page.getByText('You denied this request').waitFor();
    expect(await statusOf(run_id)).toBe('denied');
  });

  it('requires a reason if the route does, and shows it to the next approver with the edit', async () => {
    const run_id = await waiting('of 100 euros', 'strict');
    const bobs = await browser.open(gateway, '/approvals', 'bob');
    const bobCard = cardOf(bobs, 'of 100 euros');
    await button(bobCard, 'Approve').click();
    await button(bobCard, 'Confirm approval').click();
    await bobCard.getByText('Enter a reason').waitFor();
    expect(await statusOf(run_id)).toBe('paused');
    await bobCard.getByLabel('Reason (required)').fill('The invoice is for 10 euros');
    await bobCard.getByText('Edit before approving').click();
    await bobCard.getByRole('textbox', { name: 'messages.0.content' }).fill('wire transfer of 10 euros');
    await bobCard.locator('.diff del').first().waitFor();
    await button(bobCard, 'Approve').click();
    await button(bobCard, 'Confirm approval').click();
    await bobs.getByText('More people must approve it').waitFor();
    for (const [width, colours] of [
      [390, 'dark'],
      [1280, 'light'],
    ] as const) {
      const page = await browser.open(gateway, '/approvals', 'carol', { width, colours });
      const card = cardOf(page, 'of 10 euros').first();
      await card.getByText('Changed by an approver').waitFor();
      for (const text of ['1 of 2 approvals', 'bob approved', 'The invoice is for 10 euros'])
        expect(await card.innerText()).toContain(text);
      await card.locator('.trail > li', { hasText: 'policy needs approval' }).waitFor();
      await card.getByText('Edit before approving').click();
      expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    }
    const carols = await browser.open(gateway, '/approvals', 'carol');
    const card = cardOf(carols, 'of 10 euros').first();
    await card.getByLabel('Reason (required)').fill('Agreed');
    await button(card, 'Approve').click();
    await button(card, 'Confirm approval').click();
    await carols.getByText('You approved this request. It has completed').waitFor();
    expect((await gateway.get(`/v1/runs/${run_id}/decisions`)).body.decisions).toMatchObject([
      { principal_id: 'bob', reason: 'The invoice is for 10 euros' },
      { principal_id: 'carol', edited: null, reason: 'Agreed' },
    ]);
  });

  it('shows that another approver decided first', async () => {
    const run_id = await waiting('contested');
    const page = await openPolling(browser, gateway, 'bob');
    const card = cardOf(page, 'contested');
    await button(card, 'Approve').click();
    // The list is not read any more: the page learns of it from the refusal alone.
    await page.route('**/v1/audit?*', () => undefined);
    await decide(run_id, 'denied', 'carol');
    const refused = page.waitForResponse((response) => response.url().endsWith('/resume'));
    await button(card, 'Confirm approval').click();
    expect((await refused).status()).toBe(409);
    await page.getByText('carol denied this request').waitFor();
    expect(await button(card, 'Approve').count()).toBe(0);
  });

  it.each(['with events', 'by polling'])('shows what another approver decided: %s', async (how) => {
    const run_id = await waiting('decided elsewhere');
    const page =
      how === 'by polling' ? await openPolling(browser, gateway, 'bob') : await browser.open(gateway, '/approvals', 'bob');
    await cardOf(page, 'decided elsewhere').waitFor();
    expect(await page.getByText('Live', { exact: true }).isVisible()).toBe(how === 'with events');
    await decide(run_id, 'approved', 'carol');
    if (how === 'by polling') await poll(page);
    await page.getByText('carol approved this request').waitFor();
    await page.getByRole('button', { name: 'Clear decided requests' }).click();
    await page.getByText('carol approved this request').waitFor({ state: 'detached' });
  });

  it('shows which runs wait for others, but none of their content', async () => {
    await waiting('private matter', 'carols');
    const page = await browser.open(gateway, '/approvals', 'bob');
    const card = page.getByRole('article').filter({ hasText: 'it is waiting for carol' }).first();
    await card.waitFor();
    expect(await card.innerText()).not.toContain('private matter');
    expect(await card.getByRole('button').count()).toBe(0);
    expect(await page.locator('#summary').innerText()).toMatch(/You can approve (\d+|none) of them/);
    const carols = await browser.open(gateway, '/approvals', 'carol');
    await button(cardOf(carols, 'private matter'), 'Approve').waitFor();
  });

  it('a key for some routes sees their runs; a key without the role gets a message', async () => {
    await waiting('for erin to see', 'carols');
    await waiting('not for erin');
    const erins = await browser.open(gateway, '/approvals', 'erin');
    await erins.getByRole('article').first().waitFor();
    expect(await erins.getByRole('article').filter({ hasText: 'default' }).count()).toBe(0);
    const daves = await browser.open(gateway, '/approvals', 'dave');
    await daves.getByText('does not have the role approve').waitFor();
  });

  it('shows a repeated request as one card with a count, and decides all copies at once', async () => {
    const runs = [await waiting('sent again'), await waiting('sent again')];
    const page = await browser.open(gateway, '/approvals', 'bob');
    const card = cardOf(page, 'sent again');
    await card.getByText('sent 2 times').waitFor();
    runs.push(await waiting('sent again'));
    await card.getByText('sent 3 times').waitFor();
    expect(await card.count()).toBe(1);
    await button(card, 'Deny').click();
    await button(card, 'Confirm denial').click();
    await page.getByText('3 copies of this request').waitFor();
    await until(async () => (await Promise.all(runs.map(statusOf))).every((status) => status === 'denied'));
  });

  it('an invalid key leads back to the form, once', async () => {
    const page = await openPolling(browser, gateway, 'bob');
    await page.route('**/v1/**', (route) =>
      route.fulfill({ status: 401, json: { code: 'SVC-AUTH-001', detail: 'SVC-AUTH-001: unknown key' } }),
    );
    const key = page.getByLabel('API key');
    await poll(page);
    await key.waitFor();
    await page.getByRole('link', { name: 'Showcase' }).focus();
    await Promise.all([page.waitForResponse((response) => response.url().includes('/v1/audit')), poll(page)]);
    await Promise.all([page.waitForRequest((request) => request.url().includes('/v1/audit')), poll(page)]);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Showcase');
  });

  it('recovers after an outage of the gateway', async () => {
    const page = await openPolling(browser, gateway, 'bob');
    await page.route('**/v1/audit?*', (route) => route.abort());
    await poll(page);
    await page.getByText('cannot be reached').waitFor();
    expect(await page.locator('#summary').innerText()).toContain('cannot be loaded');
    await page.unroute('**/v1/audit?*');
    await waiting('after the outage');
    await poll(page);
    await cardOf(page, 'after the outage').waitFor();
    await page.getByText('cannot be reached').waitFor({ state: 'hidden' });
  });

  it('in any width and colours, nothing overflows, and axe finds nothing', async () => {
    await waiting('a look');
    const page = await browser.open(gateway, '/approvals', 'bob');
    await cardOf(page, 'a look').first().waitFor();
    await search(page, 'wire transfer');
    await page.locator('#summary').filter({ hasText: 'requests match.' }).waitFor();
    await search(page, '');
    await button(cardOf(page, 'a look').first(), 'Deny').click();
    await page.getByText('it is waiting for carol').first().waitFor();
    // What axe finds depends on the colours and on the layout, narrow or wide: it need not see each pair of them.
    for (const [width, colours, isForAxe] of [
      [320, 'light', false],
      [320, 'dark', true],
      [1280, 'dark', false],
      [3840, 'light', true],
    ] as const) {
      await look(page, { width, colours });
      const found = isForAxe ? await violations(page) : [];
      expect([await overflows(page), found], `${width} px, ${colours}`).toEqual([false, []]);
    }
  });

  it.each([
    [390, 844],
    [1280, 900],
  ] as const)(
    '%i by %i pixels: the first request can be decided without scrolling, and the header is one row',
    async (width, height) => {
      await waiting('on the first screen');
      const page = await browser.open(gateway, '/approvals', 'bob', { width, height });
      await search(page, 'on the first screen');
      const approve = button(cardOf(page, 'on the first screen').first(), 'Approve');
      await approve.waitFor();
      const { y = height, height: tall = 0 } = (await approve.boundingBox()) ?? {};
      expect(y + tall).toBeLessThanOrEqual(height);
      const tops = await Promise.all(['.brand', '#sign-out'].map((part) => page.locator(part).boundingBox()));
      expect(Math.abs((tops[0]?.y ?? 0) - (tops[1]?.y ?? height))).toBeLessThan(20);
    },
  );

  it('a word of a million characters delays nothing, and is shown completely', async () => {
    const run_id = await waiting(`${'A'.repeat(1_000_000)} to the end`);
    const page = await browser.open(gateway, '/approvals', 'bob');
    await search(page, run_id);
    const card = page.locator(`article[aria-labelledby^="run-${run_id}"]`);
    await button(card, 'Deny').waitFor();
    const found = `document.querySelector('article[aria-labelledby^="run-${run_id}"]').textContent.includes('AAA to the end')`;
    expect(await page.evaluate(found)).toBe(true);
    await button(card, 'Deny').click();
    await button(card, 'Confirm denial').click();
    await page.getByText('You denied this request').waitFor();
    expect(await statusOf(run_id)).toBe('denied');
  });
});
