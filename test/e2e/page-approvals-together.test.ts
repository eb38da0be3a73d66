import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      approvals: { max_paused_per_principal: 1000 },
      routes: {
        two: { ...route, approvals: 2 },
        others: { ...route, self_approval: false },
        finance: { ...route, approvers: ['carol', 'group/finance'] },
        pair: { ...route, approvers: ['carol', 'dora'], approvals: 2 },
      },
      auth: { groups: { finance: ['dora'] } },
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob', roles: ['call', 'approve'] },
      { principal_id: 'carol', roles: ['approve'] },
      { principal_id: 'dora', roles: ['approve'] },
      { principal_id: 'erin', roles: ['approve', 'audit'] },
      { principal_id: 'audrey', roles: ['audit'] },
    ],
  });
});
afterAll(() => gateway.dispose());

async function waiting(text: string, model = 'default', principal = 'alice'): Promise<string> {
  const { body } = await gateway.chat(`wire transfer ${text}`, { model, principal });
  return body.svc_run_id;
}
/** As another approver, over the API. */
async function decide(run_id: string, principal: string, decision: string, edit?: string): Promise<void> {
  const { body } = await gateway.get(`/v1/runs/${run_id}/pending`, principal);
  const edits = edit === undefined ? {} : { edits: [{ index: body.texts[0].index, text: `wire transfer ${edit}` }] };
  const made = await gateway.post(`/v1/runs/${run_id}/resume`, { decision, digest: body.digest, ...edits }, principal);
  expect(made.status).toBe(200);
}
const statusOf = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body.status;
const button = (card: Locator, name: string): Locator => card.getByRole('button', { name, exact: true });
const field = (card: Locator): Locator => card.getByRole('textbox', { name: 'messages.0.content' });

describeInBrowser('several people at /approvals', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  /** The page of a person, with one request on it. */
  async function cardFor(principal: string, run_id: string): Promise<{ page: Page; card: Locator }> {
    const page = await browser.open(gateway, '/approvals', principal);
    await page.getByLabel('Search').fill(run_id);
    const card = page.getByRole('article').filter({ hasText: run_id });
    await card.waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    return { page, card };
  }
  const isClean = async (page: Page) => expect([await overflows(page), await violations(page)]).toEqual([false, []]);

  it('shows who has approved, and keeps unsent text', async () => {
    const run_id = await waiting('of 1 euro', 'two');
    const { card } = await cardFor('bob', run_id);
    await card.getByText('Edit before approving').click();
    await field(card).fill('wire transfer of 2 euros');
    await decide(run_id, 'carol', 'approved');
    await card.getByText('carol approved this request. 1 of 2 approvals.').waitFor();
    expect(await field(card).inputValue()).toBe('wire transfer of 2 euros');
    await button(card, 'Approve').click();
    await button(card, 'Confirm approval').click();
    // An edit voids the earlier approval.
    await card.getByText('More people must approve it').waitFor();
    await card.getByText('1 of 2 approvals').last().waitFor();
  });

  it.each(['erin', 'bob'])('shows %s within a minute what a delegation allows, and that it has ended', async (delegate) => {
    const [first, second] = [await waiting(`with ${delegate}`, 'finance'), await waiting(`without ${delegate}`, 'finance')];
    const page = await browser.open(gateway, '/approvals', delegate, { clock: true });
    const cardOf = (run_id: string) => page.getByRole('article').filter({ hasText: run_id });
    /** Nothing has happened to a run, so only the list says what has changed. The page reads it each minute. */
    const resync = () => page.clock.fastForward(60_000);
    await page.getByText('Live', { exact: true }).waitFor();
    await cardOf(first).waitFor();
    expect(await button(cardOf(first), 'Approve').count()).toBe(0);
    const { body } = await gateway.post('/v1/approvals/delegations', { to: delegate, for: '1h', reason: 'on leave' }, 'carol');
    await resync();
    await button(cardOf(first), 'Approve').waitFor();
    await cardOf(first).getByText(`wire transfer with ${delegate}`).waitFor();
    await button(cardOf(first), 'Approve').click();
    await button(cardOf(first), 'Confirm approval').click();
    await page.getByText('You approved this request').waitFor();
    expect(await statusOf(first)).toBe('completed');
    await button(cardOf(second), 'Approve').waitFor();
    expect((await gateway.request('DELETE', `/v1/approvals/delegations/${body.id}`, { principal: 'carol' })).status).toBe(200);
    await resync();
    await button(cardOf(second), 'Approve').waitFor({ state: 'detached' });
    await isClean(page);
    await decide(second, 'carol', 'denied');
  });

  it('keeps edits when another approver edits too: compared with the new text, with the cursor in place', async () => {
    const run_id = await waiting('of 10 euros', 'two');
    const { page, card } = await cardFor('bob', run_id);
    await card.getByText('Edit before approving').click();
    await card.getByLabel('Reason').fill('Too much');
    await field(card).fill('wire transfer of 30 euros');
    await button(card, 'Approve').click();
    await field(card).focus();
    await decide(run_id, 'carol', 'approved', 'of 20 euros');
    await card.getByText('carol edited and approved this request.').waitFor();
    await card.getByText('Your input is kept').waitFor();
    expect(await field(card).inputValue()).toBe('wire transfer of 30 euros');
    expect(await card.locator('.edit del').innerText()).toBe('20');
    expect(await card.getByLabel('Reason').inputValue()).toBe('Too much');
    await page.keyboard.type('!');
    expect(await field(card).inputValue()).toContain('!');
    await isClean(page);
    await button(card, 'Approve').click();
    await button(card, 'Confirm approval').click();
    await card.getByText('More people must approve it').waitFor();
    const { body } = await gateway.get(`/v1/runs/${run_id}/pending`, 'carol');
    expect(body.messages[0].content).toContain('30 euros!');
  });

  it('shows unsent text when another approver decides', async () => {
    const run_id = await waiting('decided meanwhile');
    const { page, card } = await cardFor('bob', run_id);
    await card.getByText('Edit before approving').click();
    await card.getByLabel('Reason').fill('My reason');
    await field(card).fill('my text');
    await decide(run_id, 'carol', 'denied');
    await card.getByText('carol denied this request. It ended without an answer.').waitFor();
    await card.getByText('Your input was not sent').waitFor();
    expect(await card.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('My reason');
    expect(await field(card).inputValue()).toBe('my text');
    expect(await card.getByRole('button').count()).toBe(0);
    await isClean(page);
  });

  it('denies the request as it was sent, even with open edits', async () => {
    const run_id = await waiting('to deny in spite of edits');
    const { page, card } = await cardFor('bob', run_id);
    await card.getByText('Edit before approving').click();
    await field(card).fill('something else');
    await button(card, 'Deny').click();
    await button(card, 'Confirm denial').click();
    await page.getByText('You denied this request').waitFor();
    const { body } = await gateway.get(`/v1/runs/${run_id}/decisions`);
    expect(body).toMatchObject({ status: 'denied', decisions: [{ principal_id: 'bob', edited: null }] });
  });

  it('offers only a denial to a person who has approved, even after a reload', async () => {
    const run_id = await waiting('approved once', 'two');
    await decide(run_id, 'bob', 'approved');
    const { card } = await cardFor('bob', run_id);
    await card
      .getByText('You, or the person you decide for, already approved this request. More people must approve it.')
      .waitFor();
    expect(await card.getByRole('button').allInnerTexts()).toEqual(['Deny']);
    await decide(run_id, 'carol', 'approved', 'edited by carol');
    await button(card, 'Approve').waitFor();
    await button(card, 'Deny').click();
    await button(card, 'Confirm denial').click();
    await card.getByText('You denied this request').waitFor();
    expect(await statusOf(run_id)).toBe('denied');
  });

  it.each([
    ['audrey', 'default', 'alice', 'you lack the role approve', true],
    ['bob', 'others', 'bob', 'you made it, and its route does not allow self-approval', true],
    ['bob', 'finance', 'alice', 'you are not one of its approvers', false],
    ['audrey', 'finance', 'alice', 'you lack the role approve', true],
  ])(
    'shows %s a request to %s by %s without its content, and why they may not decide it: %s',
    async (who, model, asker, why, named) => {
      const run_id = await waiting(`confidential, for ${who}`, model, asker);
      const { page, card } = await cardFor(who, run_id);
      await card.getByText(why).waitFor();
      expect(await card.getByRole('button').count()).toBe(0);
      const text = await card.innerText();
      expect(text).not.toContain('confidential');
      expect(text.includes(`from ${asker} to “${model}”`)).toBe(named);
      expect(text.includes('policy')).toBe(named);
      await isClean(page);
    },
  );

  it.each(['bob', 'erin'])('shows a request to a delegate for as long as they may decide: %s', async (who) => {
    const run_id = await waiting(`confidential, for a pair and ${who}`, 'pair');
    const { page, card } = await cardFor(who, run_id);
    const barred = card.getByText('You cannot decide this request');
    await barred.waitFor();
    const delegate = async () =>
      (await gateway.post('/v1/approvals/delegations', { to: who, for: '1h', reason: 'on leave' }, 'carol')).body.id;
    const end = (id: string) => gateway.request('DELETE', `/v1/approvals/delegations/${id}`, { principal: 'carol' });
    const first = await delegate();
    await decide(run_id, 'dora', 'approved');
    await button(card, 'Approve').waitFor();
    expect(await barred.count()).toBe(0);
    expect(await card.innerText()).toContain('confidential');
    expect(await card.getAttribute('class')).not.toContain('others');
    await end(first);
    await decide(run_id, 'dora', 'approved', 'confidential, edited');
    await barred.waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    expect(await card.innerText()).not.toContain('confidential');
    expect(await card.getAttribute('class')).toContain('others');
    await isClean(page);
    const second = await delegate();
    await decide(run_id, 'dora', 'approved', 'confidential, edited again');
    await button(card, 'Approve').waitFor();
    expect(await card.innerText()).toContain('edited again');
    expect(await card.getAttribute('class')).not.toContain('others');
    await end(second);
  });

  it("keeps a delegate's unsent text when they may no longer decide", async () => {
    const run_id = await waiting('written by a delegate', 'pair');
    const delegation = { to: 'bob', for: '1h', reason: 'on leave' };
    const { id } = (await gateway.post('/v1/approvals/delegations', delegation, 'carol')).body;
    const { card } = await cardFor('bob', run_id);
    await card.getByLabel('Reason').fill('My reason');
    await gateway.request('DELETE', `/v1/approvals/delegations/${id}`, { principal: 'carol' });
    await decide(run_id, 'dora', 'approved');
    const written = card.filter({ hasText: 'You may no longer decide this request.' });
    await written.getByText('Your input was not sent').waitFor();
    expect(await written.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('My reason');
  });

  it('offers only a denial to a delegate of a person who has approved', async () => {
    const run_id = await waiting('approved by carol', 'pair');
    const { id } = (await gateway.post('/v1/approvals/delegations', { to: 'bob', for: '1h', reason: 'on leave' }, 'carol')).body;
    await decide(run_id, 'carol', 'approved');
    const { card } = await cardFor('bob', run_id);
    await card.getByText('You, or the person you decide for, already approved this request.').waitFor();
    expect(await card.getByRole('button').allInnerTexts()).toEqual(['Deny']);
    await gateway.request('DELETE', `/v1/approvals/delegations/${id}`, { principal: 'carol' });
  });

  it('a member of a group of approvers decides, and the group is named', async () => {
    const run_id = await waiting('for the group', 'finance');
    const { card } = await cardFor('dora', run_id);
    await button(card, 'Approve').waitFor();
    expect(await card.innerText()).toContain('carol, group finance');
  });
});
