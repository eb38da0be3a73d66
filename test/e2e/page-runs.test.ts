import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, look, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const LONG = 'a-route-with-a-name-that-is-much-longer-than-a-column';
let gateway: TestGateway;
/** By the text that was sent. */
const made: Record<string, string> = {};
beforeAll(async () => {
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['mask', 'policy'], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { record_content: true },
      prices: { models: { 'echo-1': { input: 2, output: 10 } } },
      routes: { support: route, [LONG]: route },
    }),
    principals: [
      { principal_id: 'ada', roles: ['audit'] },
      { principal_id: 'alice', roles: ['call'] },
      { principal_id: 'claims-agent@example.com', roles: ['call'] },
      { principal_id: 'bob', roles: ['approve', 'audit'] },
      { principal_id: 'carol', roles: ['approve'] },
      { principal_id: 'dan', roles: ['audit'], routes: ['support'] },
    ],
  });
  await run('hello', { route: LONG, principal: 'claims-agent@example.com', session: 'claim-1' });
  await run('pay ACC-12', { session: 'claim-1' });
  await run('forbidden');
  await run('a wire transfer');
  await decide('a wire transfer', 'approved', 'Checked by phone.');
  await run('another wire transfer', { principal: 'claims-agent@example.com', session: 'claim-1' });
});
afterAll(() => gateway.dispose());

interface Asked {
  readonly route?: string;
  readonly principal?: string;
  readonly session?: string;
}

async function run(content: string, { route = 'support', principal = 'alice', session }: Asked = {}): Promise<void> {
  const headers = session === undefined ? {} : { 'x-svc-session': session };
  const body = { route, messages: [{ role: 'user', content }], approvers: ['bob'] };
  made[content] = (await gateway.request('POST', '/v1/runs', { principal, headers, body })).body.run_id;
}

async function decide(text: string, decision: string, reason: string): Promise<void> {
  expect((await gateway.post(`/v1/runs/${made[text]}/resume`, { decision, reason }, 'bob')).status).toBe(200);
}

interface Focused {
  readonly id: string;
  readonly text: string;
  readonly run: string | null;
}

const address = (text: string): string => `/runs?run=${made[text]}`;
const card = (page: Page, name: string) => page.getByRole('region', { name });
/** The texts of the listed runs, newest first. */
async function listed(page: Page): Promise<(string | undefined)[]> {
  await page
    .getByRole('status')
    .filter({ hasText: /runs?\b.*\.$/ })
    .waitFor();
  const links = await page.locator('[data-run]').evaluateAll((all) => all.map((link) => link.getAttribute('data-run')));
  return links.map((run_id) => Object.keys(made).find((text) => made[text] === run_id));
}

describeInBrowser('the page /runs', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  // What axe finds depends on the colours and on the layout, narrow or wide: it need not see each pair of them.
  const LOOKS = [
    ['light', 1280, true],
    ['dark', 1280, false],
    ['light', 390, false],
    ['dark', 390, true],
    ['light', 1160, false],
    ['light', 768, true],
  ] as const;
  it('shows a list of runs and one run, in any colours and width', async () => {
    const page = await browser.open(gateway, '/runs', 'bob');
    const expectClean = async (): Promise<void> => {
      for (const [colours, width, isForAxe] of LOOKS) {
        await look(page, { colours, width });
        const found = isForAxe ? await violations(page) : [];
        expect([found, await overflows(page)], `${colours}, ${width} px`).toEqual([[], false]);
      }
    };
    await page.getByRole('row').nth(1).waitFor();
    await expectClean();
    await page.locator(`[data-run="${made['a wire transfer']}"]`).click();
    await card(page, 'Evidence').getByText('verified', { exact: true }).waitFor();
    await card(page, 'What happened').getByText('Reason: Checked by phone.').waitFor();
    await page.getByText('Show the record').click();
    await expectClean();
  });

  const FILTERS = [
    ['Route', LONG, ['hello'], `route=${LONG}`],
    ['Requested by', 'claims-agent@example.com', ['another wire transfer', 'hello'], 'principal=claims-agent%40example.com'],
    ['Session', 'claim-1', ['another wire transfer', 'pay ACC-12', 'hello'], 'session=claim-1'],
    ['Status', 'blocked', ['forbidden'], 'status=blocked'],
    ['Guard’s verdict', 'needs approval', ['another wire transfer', 'a wire transfer'], 'verdict=require_approval'],
    ['Code contains', 'ACCOUN', ['pay ACC-12'], 'code=ACCOUN'],
    ['Started before', '2020-01-01T00:00:00', [], 'until='],
    ['Started from', '2100-01-01T00:00:00', [], 'since='],
  ] as const;
  it(`finds runs by ${FILTERS.map(([name]) => name).join(', ')}`, async () => {
    const [page, shared] = await Promise.all(
      [1, 2].map(() => browser.open(gateway, '/runs', 'ada')) as [Promise<Page>, Promise<Page>],
    );
    const all = await listed(page);
    expect(all).toHaveLength(5);
    for (const [name, value, texts, query] of FILTERS) {
      const field = page.getByLabel(name, { exact: true });
      if (await field.evaluate((element) => element.tagName === 'SELECT')) await field.selectOption({ label: value });
      else await field.fill(value);
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByText('Filters (1)').waitFor();
      expect([await listed(page), page.url()], name).toEqual([texts, expect.stringContaining(`/runs?${query}`)]);
      // The address alone leads to the same list, and the back button to the one before.
      await shared.goto(page.url());
      expect(await listed(shared), name).toEqual(texts);
      await page.goBack();
      await page.getByText('Filters', { exact: true }).waitFor();
      expect(await listed(page), name).toEqual(all);
    }
  });

  it('shows who asked, the guards in order, who decided and why, the content, the cost and the proof', async () => {
    const page = await browser.open(gateway, address('a wire transfer'), 'bob');
    const trail = card(page, 'What happened');
    await trail.getByText('Reason: Checked by phone.').waitFor();
    const steps = (await trail.getByRole('listitem').allTextContents()).join('\n');
    expect(steps).toMatch(
      /mask, before the model.*allowed[\s\S]*policy.*needs approval.*code wire[\s\S]*bob decided.*approved[\s\S]*echo-1.*answered/,
    );
    const about = card(page, 'About');
    await about.getByText(/^\$0\.0\d+$/).waitFor();
    await about.getByRole('link', { name: 'alice' }).waitFor();
    await card(page, 'Content').getByText('echo: a wire transfer').waitFor();
    const evidence = card(page, 'Evidence');
    await evidence.getByText('verified', { exact: true }).waitFor();
    const { records } = (await gateway.get('/v1/audit/ledger', 'ada')).body;
    const record = records.find(({ run_id }: { run_id: string }) => run_id === made['a wire transfer']);
    await evidence.getByText(`Record ${record.seq}`).waitFor();
    await evidence.getByText(record.hash, { exact: true }).waitFor();
    expect(await evidence.getByRole('listitem').count()).toBe(4);
    await evidence.getByText(/The checkpoint is signed by/).waitFor();
  });

  it('reports reasons that cannot be shown, unless the visitor may not read them', async () => {
    const page = await browser.open(gateway, '/runs', 'bob');
    await page.route('**/decisions', (route) => route.abort());
    await page.locator(`[data-run="${made['a wire transfer']}"]`).click();
    const trail = card(page, 'What happened');
    await trail.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    expect(await trail.getByRole('listitem').count()).toBeGreaterThan(3);
    const auditor = await browser.open(gateway, '/runs', 'ada');
    const refused = auditor.waitForResponse('**/decisions');
    await auditor.locator(`[data-run="${made['a wire transfer']}"]`).click();
    expect((await refused).status()).toBe(403);
    await auditor.evaluate('new Promise(requestAnimationFrame)');
    await card(auditor, 'What happened').getByText('bob decided').waitFor();
    expect(await card(auditor, 'What happened').getByRole('alert').count()).toBe(0);
  });

  it('leads from a run to all runs of its session', async () => {
    const page = await browser.open(gateway, address('pay ACC-12'), 'ada');
    await card(page, 'About').getByRole('link', { name: 'claim-1' }).click();
    expect(await listed(page)).toEqual(['pay ACC-12']);
    expect(await page.getByLabel('Requested by').inputValue()).toBe('alice');
    await page.goBack();
    await card(page, 'Evidence').getByText('verified', { exact: true }).waitFor();
    await page.goForward();
    expect(await listed(page)).toEqual(['pay ACC-12']);
  });

  it('states that no model was called', async () => {
    const page = await browser.open(gateway, address('forbidden'), 'ada');
    await card(page, 'About').getByText('no model was called').waitFor();
  });

  const changed = (text: string): string => {
    const [, record = ''] = /^extra (\S+)$/m.exec(text) ?? [];
    const bytes = Buffer.from(record, 'base64').toString().replace('"alice"', '"alicf"');
    return text.replace(record, Buffer.from(bytes).toString('base64'));
  };
  it.each<[string, string, (text: string) => string, string]>([
    ['a record with one changed byte', '**/proof?*', changed, 'wrong_hash'],
    ['a proof of another place', '**/proof?*', (text) => text.replace(/^index \d+$/m, 'index 0'), 'does not connect'],
    ['a changed checkpoint', '**/proof?*', (text) => text.replace(/\n\n(.+)\n/, '\n\n$1-2\n'), 'signature'],
    ['no key', '**/ledger/keys', () => '{"verifier_keys":[]}', 'not signed'],
    ['another history', '**/v1/runs/*', (text) => text.replace('"ingress"', '"egress"'), 'the history in the record differs'],
    ['another principal', '**/v1/runs/*', (text) => text.replace('"alice"', '"mallory"'), 'the history in the record differs'],
  ])('does not verify %s', async (_, path, change, why) => {
    const page = await browser.open(gateway, '/runs', 'ada');
    await page.route(path, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: change(await response.text()) });
    });
    await page.locator(`[data-run="${made['pay ACC-12']}"]`).click();
    await card(page, 'Evidence').getByText('not verified', { exact: true }).waitFor();
    await card(page, 'Evidence').getByText(why).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('shows content only to the creator and the approvers of a run', async () => {
    const auditor = await browser.open(gateway, address('pay ACC-12'), 'ada');
    await card(auditor, 'Content').getByText('You cannot see the content of this run').waitFor();
    await card(auditor, 'Evidence').getByText('verified', { exact: true }).waitFor();
    expect(await auditor.locator('body').textContent()).not.toContain('echo:');
    const alice = await browser.open(gateway, address('pay ACC-12'), 'alice');
    await card(alice, 'Content').getByText('echo: pay <ACCOUNT>').waitFor();
    await card(alice, 'Evidence').getByText('not checked').waitFor();
    const other = await browser.open(gateway, address('pay ACC-12'), 'claims-agent@example.com');
    await card(other, 'What happened').getByText('You cannot see the history of this run').waitFor();
    await card(other, 'Content').getByText('You cannot see the content of this run').waitFor();
    expect(await other.locator('#one').textContent()).not.toMatch(/alice|bob|account/);
  });

  it("lists a caller's own runs, and states which keys may not list any", async () => {
    const alice = await browser.open(gateway, '/runs', 'alice');
    expect(await listed(alice)).toEqual(['a wire transfer', 'forbidden', 'pay ACC-12']);
    expect(await alice.getByLabel('Requested by').isVisible()).toBe(false);
    const carol = await browser.open(gateway, '/runs', 'carol');
    await carol.getByRole('alert').filter({ hasText: 'carol cannot list runs' }).waitFor();
    const dan = await browser.open(gateway, '/runs', 'dan');
    await dan.getByRole('alert').filter({ hasText: 'Enter one of them under Route: support' }).waitFor();
    await dan.getByLabel('Route').fill('support');
    await dan.getByLabel('Route').press('Enter');
    expect(await listed(dan)).toHaveLength(4);
  });

  it('leads an approver from a paused run to the decision', async () => {
    const page = await browser.open(gateway, address('another wire transfer'), 'bob');
    await card(page, 'Evidence').getByText('no record').waitFor();
    await page.getByRole('link', { name: 'Show the content awaiting approval' }).click();
    await page.getByRole('article').filter({ hasText: 'another wire transfer' }).waitFor();
  });

  it('works by keyboard alone: find, open, verify, and back to the row', async () => {
    const page = await browser.open(gateway, '/runs', 'ada');
    await listed(page);
    await page.locator('body').press('Tab');
    const tabTo = async (isThere: (focused: Focused) => boolean): Promise<void> => {
      for (let n = 0; n < 60; n += 1) {
        const focused: Focused = await page.evaluate(
          '(({ id, textContent: text, dataset: { run = null } }) => ({ id, text, run }))(document.activeElement)',
        );
        if (isThere(focused)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('the focus does not get there');
    };
    await tabTo(({ id }) => id === 'status');
    await page.keyboard.type('completed');
    await tabTo(({ id }) => id === 'code');
    await page.keyboard.type('wire');
    await page.keyboard.press('Enter');
    await page.getByText('Filters (2)').waitFor();
    expect(await listed(page)).toEqual(['a wire transfer']);
    await tabTo(({ run }) => run === made['a wire transfer']);
    await page.keyboard.press('Enter');
    await card(page, 'Evidence').getByText('verified', { exact: true }).waitFor();
    await tabTo(({ text }) => text === 'Show the record');
    await page.keyboard.press('Enter');
    await page.getByText('"record_type": "run_evidence"').waitFor();
    await tabTo(({ text }) => text === 'Runs with these filters');
    await page.keyboard.press('Enter');
    await page.locator(`[data-run="${made['a wire transfer']}"]:focus`).waitFor();
    expect(new URL(page.url()).search).toBe('?status=completed&code=wire');
  });

  it('names the parts that it cannot show', async () => {
    const unknown = await browser.open(gateway, '/runs?run=00000000-0000-7000-8000-000000000000', 'ada');
    await unknown.getByRole('alert').filter({ hasText: 'There is no run with this id.' }).waitFor();
    const wrong = await browser.open(gateway, '/runs?status=none', 'ada');
    await wrong.getByRole('alert').filter({ hasText: 'querystring/status' }).waitFor();
    const page = await browser.open(gateway, '/runs', 'ada');
    await listed(page);
    await page.route('**/v1/audit?*', (route) => route.abort());
    await page.getByLabel('Code contains').fill('wire');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
  });

  it('shows older runs on request', async () => {
    for (let n = 0; n < 60; n += 1) await run(`filler ${n}`, { route: 'default' });
    const page = await browser.open(gateway, '/runs?route=default', 'ada');
    expect(await listed(page)).toHaveLength(50);
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await page.locator(`[data-run="${made['filler 9']}"]:focus`).waitFor();
    expect(await listed(page)).toHaveLength(60);
    expect(await page.getByRole('button', { name: 'Show older runs' }).count()).toBe(0);
  });
});
