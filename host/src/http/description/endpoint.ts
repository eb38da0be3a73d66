import type { ErrorCode } from '@svc/contracts';
import type { FastifyContextConfig } from 'fastify';
import type { HeaderName } from './headers.ts';

/** An error of an endpoint. It has a status if that differs from the table of codes. */
export type EndpointError = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** Bodies by media type. */
export type Bodies = Readonly<Record<string, unknown>>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors of this endpoint, in addition to those of every endpoint ({@link errorsOf}). */
    errors?: readonly EndpointError[];
    /** Headers of its successful responses. */
    headers?: readonly HeaderName[];
    /** Headers of its errors, if they differ from the usual ones. */
    errorHeaders?: (status: number, usual: readonly HeaderName[]) => readonly HeaderName[];
    example?: {
      readonly request?: unknown;
      readonly response: Bodies;
      /** Other responses that have a body of their own, by status. */
      readonly others?: Readonly<Record<number, Bodies>>;
    };
  }
}

/** A described endpoint. */
export interface Endpoint {
  readonly path: string;
  readonly takesBody: boolean;
  readonly config: FastifyContextConfig;
}
