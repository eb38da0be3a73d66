import { createHash } from 'node:crypto';
import type { Clock, PluginDeps } from '@svc/sdk';
import { type HttpAnswer, Intake, receiverUrl, refused } from '@svc/toolkit/export';
import { AwsV4Signer } from 'aws4fetch';
import type { Options } from './options.ts';

const DAY_MS = 86_400_000;
/** Of an object that exists: RFC 9110, section 13.1.2. */
const EXISTS = 412;

/** A bucket of an S3-compatible service. */
export class Bucket {
  readonly #intake: Intake;
  readonly #options: Options;
  readonly #clock: Clock;
  /** URL of the bucket without a slash at its end. */
  readonly #url: string;
  /** Keys that the signer derives from the secret, one a day. */
  readonly #keys = new Map<string, ArrayBuffer>();

  /** @throws {Error} with the key and the remedy, never with a value, for options that cannot be used */
  constructor(options: Options, deps: PluginDeps) {
    const { bucket, region, endpoint } = options;
    // The certificate of AWS has no names with a dot in the bucket, so such a bucket is part of the path.
    const isInPath = endpoint !== undefined || bucket.includes('.');
    const host = isInPath ? `s3.${region}` : `${bucket}.s3.${region}`;
    const url = receiverUrl('endpoint', endpoint ?? `https://${host}.amazonaws.com`);
    if (url.search !== '') throw new Error('endpoint: must not have a query');
    for (const name of ['access_key_id', 'secret_access_key', 'session_token'] as const) {
      const value = options[name];
      if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
        throw new Error(`${name}: must be visible ASCII without white space`);
    }
    const path = url.pathname.replace(/\/+$/, '');
    this.#url = `${url.origin}${path}${isInPath ? `/${bucket}` : ''}`;
    this.#intake = new Intake(url.origin, options, deps);
    this.#options = options;
    this.#clock = deps.clock;
  }

  /**
   * Writes an object if none has this name. If one has, its content is the same, because names contain the hash of the content.
   * @throws {NotAccepted}
   */
  async put(name: string, content: Buffer, type: string, signal: AbortSignal): Promise<void> {
    const sha256 = createHash('sha256').update(content).digest();
    const answer = await this.#request(
      'PUT',
      `${this.#url}/${name}`,
      {
        'content-type': type,
        'content-md5': createHash('md5').update(content).digest('base64'),
        'if-none-match': '*',
        'x-amz-checksum-sha256': sha256.toString('base64'),
        'x-amz-content-sha256': sha256.toString('hex'),
        ...this.#lock(),
      },
      content,
      signal,
    );
    if (answer.status !== EXISTS) assertSuccess(answer);
  }

  /**
   * The first name that begins with a prefix; null if there is none.
   * @throws {NotAccepted}
   */
  async firstName(prefix: string, signal: AbortSignal): Promise<string | null> {
    const query = new URLSearchParams({ 'list-type': '2', 'max-keys': '1', prefix });
    const headers = { 'x-amz-content-sha256': createHash('sha256').digest('hex') };
    const answer = await this.#request('GET', `${this.#url}/?${query}`, headers, undefined, signal);
    assertSuccess(answer);
    // Names have no character that XML escapes.
    return /<Key>([^<&]*)<\/Key>/.exec(answer.body.toString())?.[1] ?? null;
  }

  close(): Promise<void> {
    return this.#intake.close();
  }

  #lock(): Record<string, string> {
    const { object_lock } = this.#options;
    if (object_lock === undefined) return {};
    const until = new Date(this.#clock.now() + object_lock.days * DAY_MS);
    return {
      'x-amz-object-lock-mode': object_lock.mode,
      'x-amz-object-lock-retain-until-date': until.toISOString(),
    };
  }

  async #request(
    method: 'GET' | 'PUT',
    address: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | undefined,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const { access_key_id, secret_access_key, session_token, region } = this.#options;
    const signer = new AwsV4Signer({
      ...{ method, url: address, headers, region, service: 's3', cache: this.#keys },
      datetime: new Date(this.#clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token !== undefined && { sessionToken: session_token }),
    });
    const signed = await signer.sign();
    const path = `${signed.url.pathname}${signed.url.search}`;
    return this.#intake.request({ method, path, headers: Object.fromEntries(signed.headers), ...(body && { body }) }, signal);
  }
}

/** Codes of S3 that say what to correct. Others are left out of reasons, because a service could put any text there. */
const CODES: readonly string[] = [
  ...[
    'AccessDenied',
    'AuthorizationHeaderMalformed',
    'BadDigest',
    'ConditionalRequestConflict',
    'EntityTooLarge',
    'ExpiredToken',
  ],
  ...[
    'InvalidAccessKeyId',
    'InvalidArgument',
    'InvalidRequest',
    'InvalidToken',
    'NoSuchBucket',
    'NotImplemented',
    'PermanentRedirect',
  ],
  ...['RequestTimeTooSkewed', 'SignatureDoesNotMatch', 'SlowDown'],
];

function assertSuccess(answer: HttpAnswer): void {
  const { status, body } = answer;
  if (status >= 200 && status <= 299) return;
  const code = /<Code>([A-Za-z]{1,40})<\/Code>/.exec(body.toString())?.[1] ?? '';
  throw refused(answer, CODES.includes(code) ? `HTTP_${status}_${code}` : undefined);
}
