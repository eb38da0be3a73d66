import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';

/** The token that the platform gives, and what the role gives for it. */
export const PLATFORM_TOKEN = 'token-of-the-cluster';
const SESSION = { id: 'ASIASESSION', secret: 'secret-of-session', token: 'token-of-session' };

/**
 * The answers of AWS that moto does not give: errors of the JSON protocol of Secrets Manager, and the role of a web identity by STS, from the references
 * of both APIs. It does not check signatures.
 */
export class AwsDouble extends HttpDouble {
  /** The actions, such as `GetSecretValue by AKIDEXAMPLE`. */
  readonly asked: string[] = [];
  /** Keys that are refused. */
  readonly expired = new Set<string>();
  /** Name and status of the next answers. Null: a value. */
  error: readonly [name: string, status: number] | null = null;
  redirect: string | null = null;

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const target = request.headers['x-amz-target'];
    if (target === undefined) return this.#assume(new URLSearchParams(body), response);
    const [, by = 'nobody'] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
    this.asked.push(`${`${target}`.replace('secretsmanager.', '')} by ${by}`);
    if (this.redirect !== null) return void response.writeHead(307, { location: this.redirect }).end();
    const isSession = by === SESSION.id && request.headers['x-amz-security-token'] === SESSION.token;
    const [name, status] = this.error ?? (this.expired.has(by) ? ['ExpiredTokenException', 400] : [null, 200]);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    if (name !== null) response.end(JSON.stringify({ __type: `com.amazonaws#${name}`, message: 'a message of the service' }));
    else response.end(JSON.stringify({ Name: 'model', SecretString: isSession ? 'sk-of-role' : 'sk-1' }));
  }

  #assume(form: URLSearchParams, response: ServerResponse): void {
    this.asked.push(`${form.get('Action')}`);
    const isValid = form.get('WebIdentityToken') === PLATFORM_TOKEN && form.get('RoleArn')?.startsWith('arn:aws:iam::') === true;
    const { id, secret, token } = SESSION;
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const credentials = `<Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${until}</Expiration></Credentials>`;
    response.writeHead(isValid ? 200 : 400, { 'content-type': 'text/xml' });
    response.end(
      isValid
        ? `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>${credentials}</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
        : '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>no</Message></Error></ErrorResponse>',
    );
  }
}
