import { readFile } from 'node:fs/promises';
import { VERSION } from '@svc/kernel/version';
import { type Content, Html, html } from './html.ts';

/** The build puts the styles here, beside the pages. */
const STYLES = new URL('dist/pages/', import.meta.resolve('@svc/host/package.json'));
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

interface Parts {
  /** File name without its extension. */
  readonly style: 'pack' | 'replay' | 'report' | 'try';
  readonly title: string;
  readonly heading: string;
  /** A line below the heading: what the page is about, and when it was written. */
  readonly about: Content;
  readonly content: Content;
  readonly footer: Content;
}

/** A page as one file for a browser or a printer, without scripts. It requests nothing. */
export async function writtenPage({ style, title, heading, about, content, footer }: Parts): Promise<string> {
  const css = new Html(await readFile(new URL(`${style}.css`, STYLES), 'utf8'));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title} – svc</title>
<style>${css}</style>
</head>
<body>
<main>
<header>
<p class="brand">svc <span>${VERSION}</span></p>
<h1>${heading}</h1>
<p class="muted">${about}</p>
</header>
${content}
<footer class="muted">${footer}</footer>
</main>
</body>
</html>
`.text;
}

/** A time, ISO 8601, to the minute. */
export function minute(time: string): Html {
  return html`<time>${time.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

interface Tile {
  readonly name: string;
  readonly value: number | string;
  /** Whether it needs attention. */
  readonly isBad?: boolean;
}

/** The figures at the top of a page. */
export function tiles(list: readonly Tile[]): Html {
  const each = list.map(({ name, value, isBad = false }) => {
    const shown = typeof value === 'number' ? value.toLocaleString('en') : value;
    return html`<div${isBad ? new Html(' class="bad"') : null}><dt>${name}</dt><dd>${shown}</dd></div>`;
  });
  return html`<dl class="tiles">${each}</dl>`;
}
