/** How to fix a failed connection, by its code. Names of certificate errors are OpenSSL's. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^PROXY_HTTP_407$/, 'the proxy requires a user and password: add them to its URL, and give the URL as a secret:// reference'],
  [/^PROXY_HTTP_/, 'the proxy refused this host: allow it there, or do not use the proxy for it (NO_PROXY, or `proxy: direct`)'],
  [/^PROXY_(?:SELF_|DEPTH_|UNABLE_|CERT_|ERR_TLS_)/, "the proxy's certificate is not trusted: add its issuer to `ca`"],
  [/^PROXY_/, 'the proxy cannot be reached: check `proxy`, or HTTPS_PROXY and HTTP_PROXY'],
  [/^CERT_HAS_EXPIRED$/, "the server's certificate has expired: renew it on the server"],
  [/^CERT_NOT_YET_VALID$/, "the server's certificate is not valid yet: check both clocks"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the server's certificate is for another host name: use the name in the certificate"],
  [/^(?:SELF_|DEPTH_|UNABLE_)/, "the server's certificate has an unknown issuer: add the issuer's certificate to `ca`"],
  [
    /^ERR_SSL_.*(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    'the server requires a client certificate: set client_certificate and client_key',
  ],
  [
    /^ERR_SSL_.*(?:CERTIFICATE|UNKNOWN_CA)/,
    'the server rejected the client certificate: renew it, or use one that the server accepts',
  ],
  [/^TLS_/, 'a file of ca, client_certificate or client_key is invalid: correct it; it is read again without a restart'],
];

/** Null if the code needs no explanation. */
export function remedyOf(code: string): string | null {
  return REMEDIES.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}
