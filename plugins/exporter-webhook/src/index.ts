import { defineExporter } from '@svc/sdk';
import { Options } from './options.ts';
import { WebhookExporter } from './webhook-exporter.ts';

/** Exporter: sends every ledger record to a URL in signed requests. See README.md. */
export default defineExporter({
  type: 'webhook',
  options: Options,
  create(options, deps) {
    const exporter = new WebhookExporter(options, deps);
    // Lint creates plugins with secret references instead of secrets.
    const isResolved = ![options.secret, options.previous_secret].some((secret) => secret?.startsWith('secret://'));
    if (isResolved) exporter.checkSecrets();
    return exporter;
  },
});
