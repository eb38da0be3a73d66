import { expect, it } from 'vitest';
import { COMMANDS } from '../../host/src/commands/help.ts';
import { fencesOf, PAGES, PLUGIN_PAGES, readPage } from './fences.ts';

/** A command line of `svc` on a page, without `svc` itself. */
interface CommandLine {
  readonly page: string;
  readonly text: string;
}

const inFences = (page: string): string[] =>
  fencesOf(page).flatMap(({ text }) =>
    [...text.replaceAll('\\\n', ' ').matchAll(/^(?:npx )?svc (.+)$/gm)].map(([, line = '']) => line),
  );
const inProse = (page: string): string[] =>
  [
    ...readPage(page)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/`(?:npx )?svc ([^`]+)`/g),
  ].map(([, line = '']) => line);

const LINES: readonly CommandLine[] = [...PAGES, ...PLUGIN_PAGES]
  // A decision describes the commands of its time.
  .filter((page) => !page.startsWith('docs/decisions/') && page !== 'CHANGELOG.md')
  .flatMap((page) => [...inFences(page), ...inProse(page)].map((text) => ({ page, text })));

/** Splits `runs list|show` into `runs list` and `runs show`. */
function namesIn(text: string): string[] {
  const [first = '', second = ''] = text.split(/\s+/);
  const isGroup = COMMANDS.some(({ name }) => name.startsWith(`${first} `));
  return isGroup && /^[a-z|-]+$/.test(second) ? second.split('|').map((name) => `${first} ${name}`) : first.split('|');
}

/** What is wrong with a command line. */
function faultsOf(text: string): string[] {
  if (/^(-|COMMAND )/.test(text)) return [];
  return namesIn(text).flatMap((name) => {
    // `start` takes the options of `serve`. A name may end with an option, such as `runs erase --all`.
    const found = COMMANDS.filter((one) => one.name.split(' --')[0] === name || (one.name === 'serve' && name === 'start'));
    const isGroup = COMMANDS.some((command) => command.name.startsWith(`${name} `));
    if (found.length === 0) return isGroup ? [] : [`no command ${name}`];
    const known = new Set(['--help', ...found.flatMap((one) => `${one.name} ${one.options}`.match(/--[a-z-]+/g) ?? [])]);
    const own = text.split(/ [|&;>]/)[0] ?? '';
    return (own.match(/(?<=\s)--[a-z-]+/g) ?? [])
      .filter((option) => !known.has(option))
      .map((option) => `${name} has no ${option}`);
  });
}

it.each(LINES)('$page: svc $text', ({ text }) => {
  expect(faultsOf(text)).toEqual([]);
});
