/** The parts of a request's time, by the running function as `file#function`. The first match counts. */
export const PARTS: readonly (readonly [part: string, files: RegExp])[] = [
  ['hashing', /^kernel\/ledger\/src\/(canonical\.ts#sha256|merkle|rehash)/],
  ['canonical form of the evidence', /^kernel\/ledger\/src\/(canonical|prepare|evidence)/],
  ['store and ledger', /^plugins\/store-|^sdk\/toolkit\/src\/store\/|node_modules\/(lmdb|ordered-binary|msgpackr)\//],
  ['store and ledger', /^kernel\/(ledger\/src|runtime\/src\/records\/|kernel\/src\/runs\/ledger-writer)/],
  [
    'guards',
    /^plugins\/guard-|^sdk\/toolkit\/src\/(matching|masking)\/|^kernel\/kernel\/src\/(runs\/(stage|judge|verdict-event)|calls\/guard-)|^kernel\/runtime\/src\/texts\//,
  ],
  ['upstream call', /^plugins\/provider-|^sdk\/toolkit\/src\/upstream\/|node_modules\/undici\//],
  [
    'upstream call',
    /^kernel\/kernel\/src\/(calls|runs\/(execute|attempt|call-record|endpoint-hooks))|^kernel\/runtime\/src\/answers\//,
  ],
  [
    'log and metrics',
    /^host\/src\/(telemetry\/|http\/request-log)|^kernel\/kernel\/src\/observing|node_modules\/(pino|prom-client|sonic-boom|@opentelemetry)\//,
  ],
  ['the run: states, events', /^kernel\/(kernel|runtime|protocols|contracts)\/src\//],
  ['schema of the body', /node_modules\/(ajv|typebox|@fastify\/type-provider)|^host\/src\/http\/(schemas|server\/validation)/],
  ['JSON of the body', /^host\/src\/http\/server\/(json-|read-body)|node_modules\/secure-json-parse/],
  ['answer', /^host\/src\/http\/doors\/|node_modules\/fast-json-stringify\/|node_modules\/fastify\/lib\/reply/],
  ['authentication, hooks, routing', /^host\/|node_modules\/(fastify|find-my-way|avvio)\//],
];

/** Names for time in Node itself without a known caller. */
export const NODE = 'HTTP of Node';
export const REST = 'the rest of Node';
export const NODE_HTTP = /^node:(_http|http|net|internal\/(http|stream|net))/;
