export { sizeOf } from '@svc/contracts';
