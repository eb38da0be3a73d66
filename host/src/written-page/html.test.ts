import { expect, test } from 'vitest';
import { html } from './html.ts';

test('a template of HTML escapes every value that is no HTML', () => {
  const bold = html`<b>${'<&"\'>'}</b>`;
  expect(html`<p title="${'"'}">${bold}${null}${[html`<i></i>`, 1]}${'\u202e'}</p>`.text).toBe(
    '<p title="&#34;"><b>&#60;&#38;&#34;&#39;&#62;</b><i></i>1\ufffd</p>',
  );
});
