/** For plugins that call an HTTP endpoint of the operator's, signed as Standard Webhooks are. */
export { type WebhookAnswer, WebhookClient, type WebhookOptions, webhookOptions } from './client.ts';
