import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';

let issuer: IssuerProcess;
let gateway: TestGateway;
/** Browsers allow passkeys at `localhost`, but not at an address. */
let origin: string;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: { anna: ['people'], ben: ['people'] } });
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } };
  const auth = {
    oidc: [
      {
        issuer: issuer.url,
        audience: IssuerProcess.AUDIENCE,
        roles: { claim: 'groups', map: { people: ['approve', 'audit'] } },
        client_id: issuer.client.client_id,
        client_secret: 'secret://env/CLIENT_SECRET#value',
      },
    ],
    // With the port, as soon as there is one.
    passkeys: { origin: 'http://localhost:1' },
  };
  const routes = { signed: { ...route, approval_passkey: 'required' }, may: { ...route, approval_passkey: 'optional' } };
  const env = { CLIENT_SECRET: issuer.client.client_secret };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ routes, auth }), env });
  const { port } = new URL(gateway.url);
  origin = `http://localhost:${port}`;
  await gateway.stop();
  const file = join(gateway.folder, 'svc.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace('http://localhost:1"', `${origin}"`));
  await gateway.launch(['--runs-db', join(gateway.folder, 'runs-db'), '--port', port]);
});
afterAll(async () => {
  await gateway?.dispose();
  await issuer?.stop();
});

/** On the issuer's own pages. */
async function signIn(page: Page, login: string): Promise<void> {
  await page.goto(`${origin}/approvals`);
  await page.getByRole('link', { name: `Sign in with ${new URL(issuer.url).host}` }).click();
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('#principal').filter({ hasText: login }).waitFor();
}

/** An authenticator in the browser itself (WebAuthn, section 11). */
async function withAuthenticator(page: Page, isUserVerified = true) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options });
  const verify = (isUserVerified: boolean) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  const count = async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;
  return { verify, count };
}

let last = 0;
async function waiting(route: string): Promise<{ run_id: string; text: string }> {
  const text = `wire transfer number ${++last};`;
  const { body } = await gateway.post('/v1/runs', { route, messages: [{ role: 'user', content: text }] });
  return { run_id: body.run_id, text };
}

const statusOf = async (run_id: string) => (await gateway.get(`/v1/runs/${run_id}`)).body.status;
const cardOf = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });

describeInBrowser('passkeys on the page /approvals', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));
  const visit = (window = {}) => browser.page(gateway, { ...window, elsewhere: [origin, issuer.url] });

  it('a person registers a passkey and approves with it, and the evidence has the signature', async () => {
    const { run_id, text } = await waiting('signed');
    const page = await visit();
    const { count } = await withAuthenticator(page);
    await signIn(page, 'anna');
    const panel = page.locator('details.passkeys');
    await panel.locator('summary', { hasText: 'Your passkeys: none' }).click();
    await panel.getByRole('button', { name: 'Register a passkey' }).click();
    await panel.getByText('Passkey registered').waitFor();
    await panel.locator('summary', { hasText: 'Your passkeys: 1' }).waitFor();
    expect(await count()).toBe(1);
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    const card = cardOf(page, text);
    await card.getByLabel('Reason').fill('the invoice is right');
    await card.getByRole('button', { name: 'Approve with passkey', exact: true }).click();
    await card.getByRole('button', { name: 'Confirm approval' }).click();
    await page.getByText('You approved this request. It has completed').waitFor();
    const [record] = (await gateway.ledger()).filter((one) => one.run_id === run_id);
    const signed = { rp_id: 'localhost', statement: { run_id, decision: 'approved', principal_id: 'anna' } };
    expect(record?.events).toContainEqual(
      expect.objectContaining({
        event_type: 'decision',
        data: expect.objectContaining({
          signed: expect.objectContaining({ ...signed, statement: expect.objectContaining(signed.statement) }),
        }),
      }),
    );
    // The same device has no second one.
    await panel.getByRole('button', { name: 'Register a passkey' }).click();
    await panel.getByText('already has a passkey').waitFor();
    await panel.getByRole('button', { name: 'Remove passkey' }).click();
    await panel.locator('summary', { hasText: 'Your passkeys: none' }).waitFor();
  });

  it('without a passkey, or without user verification, a request stays pending, and the card says why', async () => {
    const { run_id, text } = await waiting('signed');
    const page = await visit();
    const { verify } = await withAuthenticator(page);
    await signIn(page, 'ben');
    const card = cardOf(page, text);
    const deny = async () => {
      await card.getByRole('button', { name: 'Deny with passkey', exact: true }).click();
      await card.getByRole('button', { name: 'Confirm denial' }).click();
    };
    await deny();
    await card.getByText('you have no passkey').waitFor();
    const panel = page.locator('details.passkeys');
    await panel.locator('summary').click();
    await panel.getByRole('button', { name: 'Register a passkey' }).click();
    await panel.getByText('Passkey registered').waitFor();
    await verify(false);
    await deny();
    await card.getByText('You canceled').waitFor();
    expect(await statusOf(run_id)).toBe('paused');
    await verify(true);
    await deny();
    await page.getByText('You denied this request').waitFor();
    expect(await statusOf(run_id)).toBe('denied');
  });

  it('on a route with an optional passkey, people with a key decide as before', async () => {
    const { text } = await waiting('may');
    const page = await browser.open(gateway, '/approvals', 'bob');
    await cardOf(page, text).getByRole('button', { name: 'Approve', exact: true }).waitFor();
    expect(await page.locator('details.passkeys').count()).toBe(0);
  });

  it('a route that requires a passkey shows the request to people with a key, but no buttons', async () => {
    const { run_id, text } = await waiting('signed');
    const page = await browser.open(gateway, '/approvals', 'bob');
    const card = cardOf(page, text);
    await card.getByText('its route requires a passkey, and a key cannot sign').waitFor();
    expect([await card.getByRole('button').count(), await card.getByRole('textbox').count()]).toEqual([0, 0]);
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    expect(await statusOf(run_id)).toBe('paused');
  });

  it.each([
    [320, 'dark'],
    [1280, 'light'],
  ] as const)('at another address of the gateway, the page names the right one: %i px, %s', async (width, colours) => {
    const page = await visit({ width, colours });
    const here = origin;
    origin = gateway.url;
    await signIn(page, 'anna').finally(() => {
      origin = here;
    });
    const panel = page.locator('details.passkeys');
    await panel.locator('summary').click();
    await panel.getByRole('link', { name: `${origin}/approvals` }).waitFor();
    expect(await panel.getByRole('button').count()).toBe(0);
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
  });
});
