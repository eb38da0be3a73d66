import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PAGE_NAMES, type PageName } from './schemas.ts';

/** A self-contained page, and the policy that allows its own script and style and nothing else. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** Reads the pages that the build made. */
export async function loadPages(): Promise<Readonly<Record<PageName, Page>>> {
  const pages = await Promise.all(PAGE_NAMES.map(async (name) => [name, await readPage(name)] as const));
  return Object.fromEntries(pages) as Record<PageName, Page>;
}

async function readPage(name: string): Promise<Page> {
  // The build creates the pages in dist/, where code in both src/ and dist/ finds them.
  const html = await readFile(new URL(`dist/pages/${name}.html`, import.meta.resolve('@svc/host/package.json')), 'utf8');
  const sources = (tag: string): string =>
    [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text = '']) => hash(text)).join(' ');
  const policy = [
    "default-src 'none'",
    `script-src ${sources('script')}`,
    `style-src ${sources('style')}`,
    "connect-src 'self'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
