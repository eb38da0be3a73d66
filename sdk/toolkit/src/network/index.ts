/** Options of whatever calls others over the network: its proxy and its certificates. What connects is in `@svc/toolkit/upstream`. */
export { assertNetwork, pemFilesOf } from './assert-network.ts';
export { isUnresolved, type NetworkOptions, networkOptions, PEM } from './options.ts';
export { PemError, PemFiles, type PemTexts } from './pem-files.ts';
export { proxyFor } from './proxies.ts';
