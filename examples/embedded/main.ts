// The gateway in your own program: no configuration file and no HTTP. In a clone, after `npm run setup`:
//   node examples/embedded/main.ts FOLDER
// FOLDER (default: embedded-db) holds the runs and the ledger. Use a new folder each time, because the keys exist only while the program runs.
// `npx svc ledger verify FOLDER` checks them.
import rules from '@svc/guard-rules';
import echo from '@svc/provider-echo';
import { createGateway, pluginDeps } from '@svc/runtime';
import lmdb from '@svc/store-lmdb';

const guard = rules.create(
  {
    rules: [
      { name: 'codename', words: ['bluebird'], verdict: 'sanitize' },
      { name: 'password', words: ['my password is'], verdict: 'block' },
    ],
  },
  pluginDeps('words'),
);
const words = { name: 'words', guard };
const local = { provider: 'local', model: 'echo-1', instance: echo.create({}, pluginDeps('local')) };
const { chat, close } = await createGateway({
  store: lmdb.create({ path: process.argv[2] ?? 'embedded-db' }, pluginDeps('store')),
  routes: { default: { endpoints: [local], ingress: [words], egress: [words] } },
});

for (const content of ['When does Bluebird begin?', 'My password is hunter2.']) {
  const { completion, stop, row } = await chat('alice', { model: 'default', messages: [{ role: 'user', content }] });
  const said = completion?.choices[0]?.message.content ?? `${stop?.kind} by ${stop?.node}: ${stop?.code}`;
  console.log(`${said} (record ${row.evidence?.seq}, ${row.evidence?.hash})`);
}
await close();
