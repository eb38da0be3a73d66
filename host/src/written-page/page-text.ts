import { type Content, Html, html } from './html.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

export interface PageParts {
  readonly css: string;
  readonly release: string;
  readonly title: string;
  readonly heading: string;
  /** A line below the heading: what the page is about, and when it was written. */
  readonly about: Content;
  readonly content: Content;
  readonly footer: Content;
}

/** A page as one file. The same parts give the same text. */
export function pageText({ css, release, title, heading, about, content, footer }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title} – svc</title>
<style>${new Html(css)}</style>
</head>
<body>
<main>
<header>
<p class="brand">svc <span>${release}</span></p>
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
