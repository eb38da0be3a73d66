/** For plugins that call an operator's HTTP endpoint, with signatures as in Standard Webhooks. */
export { type WebhookAnswer, WebhookClient, type WebhookOptions, webhookOptions } from './client.ts';
