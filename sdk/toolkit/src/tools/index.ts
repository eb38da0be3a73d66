/** For guards of tools. */
export { toolDigest } from './tool-digest.ts';
