export { ERROR_CODES } from './contracts/index.ts';
