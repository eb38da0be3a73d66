import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { parse } from 'yaml';
import type { GatewayConfig } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

export const TITLES = ['card number', 'wire transfer', 'attack', 'budget', 'phone number', 'stream'];

/** What `svc init` writes, for other keys. `self_approval`: false as it writes it; true for visitors who decide in place. */
export async function starter(self_approval: boolean): Promise<GatewayConfig> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-starter-'));
  const config = join(folder, 'svc.yaml');
  await svcHere(['init', '--config', config]);
  const text = await readFile(config, 'utf8');
  await rm(folder, { recursive: true });
  const written = self_approval ? text.replaceAll('self_approval: false', 'self_approval: true') : text;
  const { auth: _, server: __, ...rest } = parse(written);
  return rest;
}

export const scenario = (page: Page, title: string): Locator => page.getByRole('button', { name: title });
export const pane = (page: Page, title: string): Locator =>
  page.locator('.pane').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
export const ended = (page: Page, status: string): Promise<void> => page.getByText(`Run status: ${status}.`).waitFor();

export async function play(page: Page, title: string, status: string): Promise<void> {
  await scenario(page, title).click();
  await ended(page, status);
}
