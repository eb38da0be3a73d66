/** Network options of a plugin: its proxy and certificates. The clients that use them are in `@svc/toolkit/upstream`. */
export { assertNetwork, pemFilesOf } from './assert-network.ts';
export { ConnectionLog } from './connection-log.ts';
export { isUnresolved, type NetworkOptions, networkOptions, PEM } from './options.ts';
export { PemError, PemFiles, type PemTexts } from './pem-files.ts';
export { proxyFor } from './proxies.ts';
export { connectThrough } from './tunnel.ts';
