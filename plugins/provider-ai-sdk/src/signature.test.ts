import { createHash, createHmac } from 'node:crypto';
import { fakeCallContext, type UpstreamRequest } from '@svc/sdk/testing';
import { afterEach, expect, test } from 'vitest';
import { bedrock } from './doubles/bedrock.ts';
import { read, setUp, tearDown } from './provider-fixture.ts';

afterEach(tearDown);

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The signature that AWS computes for a request: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function signatureOf({ method, path, headers, text }: UpstreamRequest, secret: string): string {
  const [, date = '', region = '', service = '', signed = ''] =
    /Credential=[^/]+\/(\d+)\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const canonicalHeaders = signed.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonicalPath = path.split('/').map(encodeURIComponent).join('/');
  const canonical = [method, canonicalPath, '', canonicalHeaders.join(''), signed, sha256(text)].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}

test('Bedrock receives exactly what was signed, whole and streamed', async () => {
  const { provider, upstream } = await setUp((url) => ({ package: bedrock.package, settings: bedrock.settings(url) }));
  const request = { model: bedrock.model, messages: [{ role: 'user', content: 'naïve café, 日本語' }] };
  upstream.respond(bedrock.whole, bedrock.streamed);
  await provider.complete(request, fakeCallContext());
  await read(provider, request);
  expect(upstream.requests).toHaveLength(2);
  for (const received of upstream.requests) {
    expect(received.headers.authorization).toMatch(new RegExp(`Signature=${signatureOf(received, 'aws-secret')}$`));
    expect(signatureOf(received, 'another')).not.toBe(signatureOf(received, 'aws-secret'));
  }
});
