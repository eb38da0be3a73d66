/** For backends of secrets that use the official client of a store. */
export { type ClientStore, clientBackend } from './client-backend.ts';
export type { ClientFetch } from './client-network.ts';
export { type ClientOptions, clientOptions } from './options.ts';
export { serverOrigin } from './server-origin.ts';
