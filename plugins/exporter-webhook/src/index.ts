import { defineExporter } from '@svc/sdk';
import { Options } from './options.ts';
import { WebhookExporter } from './webhook-exporter.ts';

/** Exporter: every ledger record as a signed request to a URL. See README.md. */
export default defineExporter({
  type: 'webhook',
  options: Options,
  create(options, { clock }) {
    const exporter = new WebhookExporter(options, clock);
    // Lint makes plugins with the references in place of the secrets.
    const isResolved = ![options.secret, options.previous_secret].some((secret) => secret?.startsWith('secret://'));
    if (isResolved) exporter.checkSecrets();
    return exporter;
  },
});
