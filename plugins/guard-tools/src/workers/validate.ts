export { validate as default } from '@svc/toolkit/json-schema';
