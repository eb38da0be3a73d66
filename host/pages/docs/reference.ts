import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import type { Api } from '../shared/api.ts';
import { problemText } from '../shared/api-error.ts';
import { byId, showProblem } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { frame, keepAccessible } from './frame.ts';

/** Shows the operations of this gateway. Requests that a visitor tries out have the visitor's own credential. */
export async function showReference({ api }: Session): Promise<void> {
  try {
    const document = await api.openApi();
    offerDownload(document);
    show(document, api);
  } catch (error) {
    showProblem(byId('problem', HTMLElement), problemText(error));
  }
}

/** A link alone would send no key. */
function offerDownload(document: object): void {
  const link = byId('document', HTMLAnchorElement);
  link.href = URL.createObjectURL(new Blob([JSON.stringify(document)], { type: 'application/json' }));
  link.download = 'openapi.json';
}

function show(document: object, api: Api): void {
  const domNode = byId('reference', HTMLElement);
  keepAccessible(domNode);
  swaggerUi({
    domNode,
    // The visitor is signed in to this gateway, so there is no other server, and no key to ask for.
    spec: { ...withoutFilledIn(document), servers: [{ url: location.origin }], security: [] },
    plugins: [frame],
    layout: 'SvcLayout',
    docExpansion: 'none',
    filter: true,
    syntaxHighlight: false,
    // The document is not sent to the validator of swagger.io.
    validatorUrl: null,
    // The command for curl is shown without the visitor's key.
    showMutatedRequest: false,
    requestInterceptor: (request) => {
      request.credentials = api.hasSession ? 'same-origin' : 'omit';
      Object.assign(request.headers, api.credentialHeaders);
      return request;
    },
  });
}

/** Optional parameters without their examples, which Swagger UI would fill in and send. */
function withoutFilledIn(document: object): object {
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    const { in: place, required = false, example, ...rest } = Object(value);
    return typeof place === 'string' && !required && example !== undefined ? { in: place, ...rest } : value;
  });
}
