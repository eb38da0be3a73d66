import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, violations } from '../harness/browser.ts';
import { TestGateway } from '../harness/gateway.ts';
import { play, starter } from './showcase-scene.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const principals = [{ principal_id: 'alice' }, { principal_id: 'bob' }];
  gateway = await TestGateway.start({ here: true, config: await starter(true), principals });
});
afterAll(() => gateway.dispose());

describeInBrowser('the ledger of the page /showcase', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it('grows with every run, including those of others', async () => {
    const page = await browser.open(gateway, '/showcase', 'alice', { clock: true });
    const size = async () => Number((await page.locator('#ledger-size').innerText()).replace(/\D/g, ''));
    await page.locator('.block').first().waitFor();
    const before = await size();
    await play(page, 'attack', 'blocked');
    await page.locator('.block.fresh', { hasText: 'blocked' }).waitFor();
    expect(await size()).toBeGreaterThan(before);
    const { headers } = await gateway.chat('hello', { principal: 'bob' });
    // To where the page next reads the ledger.
    await page.clock.fastForward(5000);
    const [seq] = (headers.get('x-svc-evidence') ?? '').split(' ');
    await page.locator('.block', { hasText: `#${seq}` }).waitFor();
  });

  it('is checked in the browser, down to the signed root', async () => {
    const page = await browser.open(gateway, '/showcase', 'alice');
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText('each with a correct hash').waitFor();
    expect(await page.locator('.proofs > li.good').count()).toBe(3);
    expect(await violations(page)).toEqual([]);
  });

  it('the proof breaks at a changed byte; hiding the change moves the break, and finally the signed root reveals it', async () => {
    for (const word of ['one', 'two', 'three']) await gateway.chat(word);
    const before = await gateway.ledger();
    const page = await browser.open(gateway, '/showcase', 'alice');
    await page.getByRole('button', { name: 'Tamper with a copy' }).click();
    const changed = Number(/record (\d+)/.exec(await page.getByRole('heading', { name: /^A copy of record/ }).innerText())?.[1]);
    const said = page.locator('#forgery .notice');
    const broken = page.locator('#forgery .block.broken');
    await said.filter({ hasText: `fails at record ${changed}: its content hashes to` }).waitFor();
    expect(await broken.innerText()).toContain(`#${changed}`);
    await page.getByRole('button', { name: 'Next: recompute this hash' }).click();
    await said.filter({ hasText: `fails at record ${changed + 1}: it links to` }).waitFor();
    expect(await broken.innerText()).toContain(`#${changed + 1}`);
    await page.getByRole('button', { name: 'Next: recompute all later hashes' }).click();
    await said.filter({ hasText: 'the forgery is still detectable' }).waitFor();
    expect(await broken.count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard the copy' }).click();
    // A game with a copy: the gateway's own records are what they were.
    expect((await gateway.ledger()).slice(0, before.length)).toEqual(before);
  });

  it('shows where the gateway’s own chain breaks, if it serves a broken one', async () => {
    const page = await browser.open(gateway, '/showcase', 'alice');
    await page.locator('.block').first().waitFor();
    await page.route('**/v1/audit/ledger?since_seq=0&*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('"model_id":"answers"', '"model_id":"answer5"') });
    });
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText('ledger is broken at record 2 (wrong_hash)').waitFor();
  });
});
