import { readFile } from 'node:fs/promises';
import { VERSION } from '@svc/kernel/version';
import { Html, html } from './html.ts';

/** A report as one file for a browser or a printer, without scripts. It requests nothing. @param style name of its style in `host/pages` */
export async function reportDocument(title: string, style: 'replay' | 'report' | 'try', content: Html): Promise<string> {
  // The build puts this file beside the pages.
  const rules = await readFile(new URL(`dist/pages/${style}.css`, import.meta.resolve('@svc/host/package.json')), 'utf8');
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title} – svc</title>
<style>${new Html(rules)}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text;
}

/** The head of a report. @param facts what it is about */
export function reportHead(title: string, facts: Html): Html {
  return html`<header>
<p class="brand">svc <span>${VERSION}</span></p>
<h1>${title}</h1>
<p class="muted">${facts}</p>
</header>`;
}
