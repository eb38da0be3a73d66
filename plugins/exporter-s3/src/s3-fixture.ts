import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';

export const CREDENTIALS = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
export const BUCKET = 'evidence';

export interface StoredObject {
  readonly content: string;
  readonly mode: string | undefined;
  readonly until: string | undefined;
}

/** An S3 service on 127.0.0.1 with one bucket. It checks signatures and digests of contents on its own, and conditional writes. */
export class S3Double extends HttpDouble {
  /** The objects by key, in order of their first write. */
  readonly objects = new Map<string, StoredObject>();
  /** Keys of all accepted writes. */
  readonly written: string[] = [];
  /** Why requests of another form were refused. */
  readonly malformed: string[] = [];
  /** A status for all requests. */
  refusal: number | null = null;
  /** Whether it stores an object, but loses the response. */
  losesResponses = false;

  /** The records below a folder, as a reader restores them: in the order of keys, each one once. */
  lines(folder: string): string[] {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(folder)).sort();
    return [...new Set(keys.flatMap((key) => this.objects.get(key)?.content.split('\n').slice(0, -1) ?? []))];
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    const answer = (status: number, text = ''): void => {
      response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
    };
    const url = new URL(request.url ?? '', this.origin);
    const why = faultIn(request, url, body);
    if (why !== null) {
      this.malformed.push(why);
      return answer(403, `<Error><Code>SignatureDoesNotMatch</Code><Message>SINK-TEXT ${why}</Message></Error>`);
    }
    if (this.refusal !== null) return answer(this.refusal, '<Error><Code>SINK-TEXT</Code></Error>');
    const key = decodeURIComponent(url.pathname.slice(`/${BUCKET}/`.length));
    if (request.method === 'GET') return answer(200, this.#list(url));
    if (request.headers['if-none-match'] === '*' && this.objects.has(key)) return answer(412);
    const { 'x-amz-object-lock-mode': mode, 'x-amz-object-lock-retain-until-date': until } = request.headers;
    this.objects.set(key, { content: body.toString(), mode: mode?.toString(), until: until?.toString() });
    this.written.push(key);
    if (this.losesResponses) request.socket.destroy();
    else answer(200);
  }

  #list({ searchParams }: URL): string {
    const prefix = searchParams.get('prefix') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const some = keys.slice(0, Number(searchParams.get('max-keys'))).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    return `<?xml version="1.0"?><ListBucketResult><Name>${BUCKET}</Name>${some.join('')}</ListBucketResult>`;
  }
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** Why a request is refused; null if it is in order. AWS Signature Version 4, and the headers that a locked object needs. */
function faultIn({ method = '', headers }: IncomingMessage, url: URL, body: Buffer): string | null {
  if (!url.pathname.startsWith(`/${BUCKET}/`)) return 'another bucket';
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'x-amz-content-sha256';
  if (method === 'PUT') {
    if (headers['content-md5'] !== createHash('md5').update(body).digest('base64')) return 'content-md5';
    if (headers['x-amz-checksum-sha256'] !== createHash('sha256').update(body).digest('base64')) return 'x-amz-checksum-sha256';
    if ((headers['x-amz-object-lock-mode'] === undefined) !== (headers['x-amz-object-lock-retain-until-date'] === undefined))
      return 'object lock';
  }
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '') ??
    [];
  const [id = '', ...scope] = credential.split('/');
  if (id !== CREDENTIALS.access_key_id) return 'unknown key';
  const unsigned = Object.keys(headers).filter((name) => /^(?:x-amz-|host$|content-md5$|if-none-match$)/.test(name));
  if (unsigned.some((name) => !names.split(';').includes(name))) return 'an unsigned header';
  const query = [...url.searchParams].map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).sort();
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url.pathname, query.join('&'), signed.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const date = String(headers['x-amz-date']);
  const key = scope.reduce<string | Buffer>((former, part) => hmac(former, part), `AWS4${CREDENTIALS.secret_access_key}`);
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n');
  return hmac(key, text).toString('hex') === signature ? null : 'signature';
}
