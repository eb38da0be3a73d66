import type { Plugin, System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** Shows only the filter and the operations: the page around them has the title, the sign-in and the landmark `main`. */
export function frame({ React, getComponent }: System): Plugin {
  const part = (name: string) => React.createElement(getComponent(name, true), null);
  return {
    components: {
      SvcLayout: () => React.createElement('div', { className: 'swagger-ui' }, part('FilterContainer'), part('operations')),
      // Its own is a link inside of a button.
      DeepLink: ({ text }: { text: unknown }) => React.createElement('span', null, text),
    },
    wrapComponents: {
      // Each of an operation's twelve responses has up to thirteen headers.
      headers: (headers) => (properties: object) =>
        React.createElement(
          'details',
          null,
          React.createElement('summary', null, 'Headers'),
          React.createElement(headers, properties),
        ),
    },
  };
}

/** Names the fields, and lets the keyboard scroll long texts: Swagger UI does neither. */
export function keepAccessible(reference: HTMLElement): void {
  new MutationObserver(() => {
    for (const field of reference.querySelectorAll(':is(select, textarea):not([aria-label])'))
      field.setAttribute('aria-label', labelOf(field));
    for (const text of reference.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
  }).observe(reference, { childList: true, subtree: true });
}

function labelOf(select: Element): string {
  if (select.matches('.body-param__text')) return 'Request body';
  if (select.matches('.examples-select-element')) return 'Example';
  if (select.closest('.content-type-wrapper, .response-controls') !== null) return 'Media type';
  return select.closest('tr')?.querySelector('.parameter__name')?.textContent ?? 'Value';
}
