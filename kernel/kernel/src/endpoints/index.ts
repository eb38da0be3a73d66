export { callerError } from '../calls/caller-error.ts';
export { mayHaveCost, UndeclaredFailure } from '../calls/provider-failure.ts';
export { Circuits } from './circuits.ts';
export { endpointsFor, firstEndpoint } from './order.ts';
export { TriedEndpoints } from './tried-endpoints.ts';
