export type { Found } from '@svc/sdk/masking';
