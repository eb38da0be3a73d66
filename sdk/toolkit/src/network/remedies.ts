/** What to do about a connection that failed, by its code; names of certificate errors are OpenSSL's. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /^PROXY_HTTP_407$/,
    'the proxy wants a user and a password: write them into the address of the proxy, as a secret:// reference',
  ],
  [/^PROXY_HTTP_/, 'the proxy refused: allow this host there, or keep it off the proxy (NO_PROXY, or `proxy: direct`)'],
  [/^PROXY_(?:SELF_|DEPTH_|UNABLE_|CERT_|ERR_TLS_)/, "the proxy's certificate is not trusted: put its issuer into `ca`"],
  [/^PROXY_/, 'the proxy cannot be reached: compare `proxy`, or HTTPS_PROXY and HTTP_PROXY, with its address'],
  [/^CERT_HAS_EXPIRED$/, "the server's certificate has expired: have it renewed there"],
  [/^CERT_NOT_YET_VALID$/, "the server's certificate is not valid yet: compare the clocks"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the server's certificate is for another name: use the name that is in it"],
  [/^(?:SELF_|DEPTH_|UNABLE_)/, "the server's certificate has an unknown issuer: put the issuer's certificate into `ca`"],
  [
    /^ERR_SSL_.*(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    'the server wants a client certificate: set client_certificate and client_key',
  ],
  [/^ERR_SSL_.*(?:CERTIFICATE|UNKNOWN_CA)/, 'the server refused the client certificate: renew it, or give the one that it knows'],
  [/^TLS_/, 'the files of ca, client_certificate and client_key are not of use: mend them; they are read again'],
];

/** Null where there is nothing to say that the code does not. */
export function remedyOf(code: string): string | null {
  return REMEDIES.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}
