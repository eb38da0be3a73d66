import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';

let issuer: IssuerProcess;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: { anna: ['users', 'approvers'], stranger: [] } });
  const entry = {
    issuer: issuer.url,
    audience: IssuerProcess.AUDIENCE,
    principal_prefix: 'corp:',
    roles: { claim: 'groups', map: { users: ['call'], approvers: ['approve', 'audit'] } },
    client_id: issuer.client.client_id,
    client_secret: 'secret://env/CLIENT_SECRET#value',
  };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({ auth: { oidc: [entry] } }),
    env: { CLIENT_SECRET: issuer.client.client_secret },
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await issuer?.stop();
});

const link = (page: Page) => page.getByRole('link', { name: `Sign in with ${new URL(issuer.url).host}` });

/** On the issuer's own pages. */
async function passIssuer(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

describeInBrowser('signing in on the pages with an issuer', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));
  const visit = (window = {}) => browser.page(gateway, { ...window, elsewhere: [issuer.url] });

  it('leads from a page to the issuer and back, lets the person decide a run, and signs out', async () => {
    const { run_id } = (await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'a wire transfer' }] })).body;
    const page = await visit();
    await page.goto('/approvals');
    await link(page).click();
    await passIssuer(page, 'anna');
    await page.locator('#principal').filter({ hasText: 'corp:anna' }).waitFor();
    expect(page.url()).toBe(`${gateway.url}/approvals`);
    const card = page.getByRole('article').filter({ hasText: 'wire transfer' });
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    await card.getByRole('button', { name: 'Confirm approval' }).click();
    await page.getByText('You approved this request').waitFor();
    const record = (await gateway.ledger()).find((one) => one.run_id === run_id);
    expect(record?.approver).toMatchObject({ principal_id: 'corp:anna', issuer: issuer.url, subject: 'anna' });
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    // Nothing that lets one in is where a script could read it.
    expect(await page.evaluate('[document.cookie, sessionStorage.length, localStorage.length]')).toEqual(['', 0, 0]);

    await page.goto('/showcase');
    await page.locator('#app').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: /^Sign out of .* too$/ }).waitFor();
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    await page.reload();
    await link(page).waitFor();
    expect(await page.getByRole('link', { name: /^Sign out of/ }).count()).toBe(0);
  });

  it('leads back to the place on the page that the link named', async () => {
    const page = await visit();
    await page.goto('/runs?status=denied');
    await link(page).click();
    await passIssuer(page, 'anna');
    await page.getByText('No run matches all of these filters.').waitFor();
    expect(page.url()).toBe(`${gateway.url}/runs?status=denied`);
  });

  it('also accepts a key, and asks a signed-in person before a link replaces the identity', async () => {
    const page = await visit();
    await page.goto('/showcase');
    await page.getByLabel('API key').fill(gateway.key('bob'));
    await page.getByLabel('API key').press('Enter');
    await page.locator('#principal').filter({ hasText: 'bob' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await link(page).click();
    await passIssuer(page, 'anna');
    await page.locator('#principal').filter({ hasText: 'corp:anna' }).waitFor();
    await page.goto(`/approvals#key=${gateway.key('alice')}`);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.reload();
    await page.locator('#principal').filter({ hasText: 'corp:anna' }).waitFor();
  });

  it.each([320, 1280])('shows both ways to sign in, and people without a role, at %i px', async (width) => {
    const page = await visit({ width });
    await page.goto('/showcase');
    await link(page).waitFor();
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    await link(page).click();
    await passIssuer(page, 'stranger');
    await page.locator('#principal').filter({ hasText: 'corp:stranger' }).waitFor();
    await page.getByRole('heading', { name: 'No access' }).waitFor();
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await link(page).waitFor();
  });

  it('returns to the sign-in form when the session has ended elsewhere', async () => {
    const page = await visit({ clock: true });
    await page.goto('/approvals');
    await link(page).click();
    await passIssuer(page, 'anna');
    await page.locator('#app').waitFor();
    await page.context().clearCookies({ name: 'svc_session' });
    // To where the page next reads its list.
    await page.clock.fastForward(61_000);
    await page.locator('#issuer-problem').filter({ hasText: 'session has ended' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('reports a failed sign-in at the issuer, %s', async (colours) => {
    const page = await visit({ colours });
    await page.goto('/auth/callback?error=access_denied&state=x');
    await page.locator('#issuer-problem').filter({ hasText: 'not signed in' }).waitFor();
    expect(page.url()).toBe(`${gateway.url}/approvals`);
    expect(await violations(page)).toEqual([]);
  });
});
