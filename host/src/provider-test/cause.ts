import { isProviderError, meaningOf } from '@svc/contracts';
import { failureReason } from '@svc/kernel';

/** Why a call to a provider failed, as far as an operator acts on it. */
export type Cause =
  | 'key'
  | 'credit'
  | 'model'
  | 'url'
  | 'model_or_url'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'proxy'
  | 'rate_limit'
  | 'overloaded'
  | 'timeout'
  | 'not_its_api'
  | 'request'
  | 'plugin';

/** What happened, and what to do. */
export const ADVICE: Readonly<Record<Cause, readonly [happened: string, remedy: string]>> = {
  key: ['it rejected the key', 'check the key and its permissions'],
  credit: ['the quota or credit of the account is used up', "check the account's plan and billing"],
  model: ['it does not know the model', 'check the name of the model, and that the account has access to it'],
  url: ['it does not serve this URL', 'check base_url'],
  model_or_url: ['it does not know the URL or the model', 'check base_url, then the name of the model'],
  dns: ['the host name cannot be resolved', 'check the host in base_url, and the DNS of this machine'],
  tls: [
    'the TLS connection failed',
    'check https in base_url and the clock of this machine; if the certificate has a private issuer, set ca',
  ],
  connection: [
    'the connection failed or was lost',
    'check the host and port in base_url and the firewall, and that the server is running',
  ],
  proxy: ['the proxy refused the connection', 'check the proxy settings of this machine (HTTPS_PROXY, NO_PROXY)'],
  rate_limit: ['it is rate-limiting requests', 'try again later, or raise the limit of the account'],
  overloaded: ['it failed or is overloaded', 'try again later, or check the status page of the provider'],
  timeout: ['it did not answer in time', 'try again, or raise the timeouts in the configuration'],
  not_its_api: ['the answer does not match this API', 'check base_url and type: the URL may belong to another service'],
  request: ['it rejected the request', 'check type and base_url, and that the model supports chat'],
  plugin: ['the plugin failed', 'report it to the author of the plugin'],
};

const REASONS: readonly (readonly [RegExp, Cause])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'dns'],
  [/^PROXY_/, 'proxy'],
  [/^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|TLS_|EPROTO$|HOSTNAME_)/, 'tls'],
  [/^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
];

/** The cause of a failure that a provider threw. */
export function causeOf(error: unknown): Cause {
  if (!isProviderError(error)) return 'plugin';
  const { kind, status, code } = error;
  const reason = failureReason(error);
  const named = reason === null ? undefined : REASONS.find(([pattern]) => pattern.test(reason))?.[1];
  if (named !== undefined) return named;
  const meaning = meaningOf(code);
  if (meaning === 'quota' || status === 402) return 'credit';
  if (meaning === 'unknown_model') return 'model';
  if (meaning === 'overloaded') return 'overloaded';
  switch (kind) {
    case 'configuration':
      return configurationCause(status);
    case 'rate_limited':
      return 'rate_limit';
    case 'unavailable':
      return status === undefined ? 'connection' : 'overloaded';
    case 'timeout':
    case 'aborted':
      return 'timeout';
    case 'malformed':
      return 'not_its_api';
    case 'invalid_request':
    case 'unsupported':
      return 'request';
  }
}

function configurationCause(status: number | undefined): Cause {
  if (status === 401 || status === 403) return 'key';
  return status === 404 ? 'model_or_url' : 'url';
}
