/** For folders that one process may use at a time. */
export { heldBy, takeFolder, takeToRead } from './folder-lock.ts';
export { isRunning, ownStart } from './process-identity.ts';
