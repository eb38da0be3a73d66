export type { Found } from '@svc/toolkit/masking';
