// An OpenID Connect provider, only for trying out the example: it accepts any password, and stores nothing.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const GROUPS = { ada: ['approvers'], ben: ['staff'] };

const server = createServer((request, response) => answer(request, response));
let answer;
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'svc-pages',
        client_secret: process.env.CLIENT_SECRET,
        // A native client may be redirected to any port of this machine. At your issuer, register: https://gateway.example.com/auth/callback
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/auth/callback'],
      },
    ],
    claims: { openid: ['sub', 'groups'] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, groups: GROUPS[id] ?? [] }) }),
  });
  answer = provider.callback();
  console.log(`issuer: ${issuer}`);
});
