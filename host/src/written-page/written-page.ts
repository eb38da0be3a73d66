import { readFile } from 'node:fs/promises';
import { VERSION } from '@svc/kernel/version';
import { type PageParts, pageText } from './page-text.ts';

/** The build puts the styles here, beside the pages. */
const STYLES = new URL('dist/pages/', import.meta.resolve('@svc/host/package.json'));
/** File name without its extension. */
type Style = 'pack' | 'replay' | 'report' | 'try';

/** A page of this release as one file for a browser or a printer, without scripts. It requests nothing. */
export async function writtenPage({
  style,
  ...parts
}: Omit<PageParts, 'css' | 'release'> & { readonly style: Style }): Promise<string> {
  return pageText({ ...parts, css: await styleOf(style), release: VERSION });
}

export function styleOf(style: Style): Promise<string> {
  return readFile(new URL(`${style}.css`, STYLES), 'utf8');
}
