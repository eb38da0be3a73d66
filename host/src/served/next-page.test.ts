import { expect, it } from 'vitest';
import { CliError } from '../errors/cli-error.ts';
import { nextPage } from './next-page.ts';

const PAGE = new URL('https://svc.example/v1/audit?limit=2');
const after = (link: string | null) => nextPage(new Headers(link === null ? {} : { link }), PAGE)?.href ?? null;

it.each([
  [null, null],
  ['</v1/audit>; rel="prev"', null],
  ['</v1/audit?cursor=a&limit=2>; rel="next"', 'https://svc.example/v1/audit?cursor=a&limit=2'],
  ['<https://svc.example/v1/audit?cursor=a>; rel="next"', 'https://svc.example/v1/audit?cursor=a'],
])('after %s comes %s', (link, next) => {
  expect(after(link)).toBe(next);
});

it.each(['https://other.example/v1/audit', '//other.example/', '/\\other.example/', 'http://svc.example/', 'https://'])(
  'a page at %s is refused',
  (link) => {
    expect(() => after(`<${link}>; rel="next"`)).toThrow(CliError);
  },
);
