import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { PAGES, PLUGIN_PAGES, ROOT, readPage } from './fences.ts';

/** The anchors that a page's headings have, as code hosts make them. */
function anchorsOf(page: string): string[] {
  return [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each([...PAGES, ...PLUGIN_PAGES])('the links in %s lead to existing targets', (page) => {
  const broken = [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^https?:/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, file))) return [target];
    return anchor === undefined || anchorsOf(file).includes(anchor) ? [] : [target];
  });
  expect(broken).toEqual([]);
});
