import type { Static } from 'typebox';
import type * as schemas from '../../src/http/schemas.ts';

// Types of the server's schemas. Only types are imported, so the bundle contains no server code.
export type Health = Static<typeof schemas.Health>;
export type Route = schemas.RouteView;
export type RouteNode = Static<typeof schemas.RouteNode>;
export type PageSession = Static<typeof schemas.PageSession>;
export type SignedOut = Static<typeof schemas.SignedOut>;
export type RouteList = Static<typeof schemas.RouteList>;
/** `evidence`: `<seq> <hash>` of the ledger record, from a header; null if the run has not ended. */
export type Run = Static<typeof schemas.Run> & { readonly evidence: string | null };
export type CreatedCredential = Static<typeof schemas.CreatedCredential>;
export type Passkey = Static<typeof schemas.Passkey>;
export type PasskeyCeremony = Static<typeof schemas.PasskeyCeremony>;
export type PasskeyList = Static<typeof schemas.PasskeyList>;
export type Statement = Static<typeof schemas.Statement>;
export type StoredRun = Static<typeof schemas.StoredRun>;
export type RunChange = Static<typeof schemas.RunChange>;
export type PendingRun = Static<typeof schemas.PendingRun>;
export type DecidedRun = Static<typeof schemas.DecidedRun>;
export type RunDecisions = Static<typeof schemas.RunDecisions>;
export type RunResponse = Static<typeof schemas.RunResponse>;
export type SentRequest = Static<typeof schemas.SentRequest>;
export type Usage = Static<typeof schemas.Usage>;
export type UsageGroup = Usage['groups'][number];
export type Report = Static<typeof schemas.Report>;
/** If the answer fails midway, its last frame has an error in place of choices. */
export type Frame = Static<typeof schemas.ChatCompletionChunk> | Static<typeof schemas.ChatErrorFrame>;
export type Decide = Static<typeof schemas.Decide>;
export type Decision = Static<typeof schemas.Decide>['decision'];
export type ErrorBody = schemas.ErrorBody;
export type ConfigurationStatus = Static<typeof schemas.ConfigurationStatus>;
export type ReloadResult = schemas.ReloadResult;
export type State = schemas.State;
export type SetState = Static<typeof schemas.SetState>;
export type Key = Static<typeof schemas.Key>;
export type CreateKey = Static<typeof schemas.CreateKey>;
export type CreatedKey = Static<typeof schemas.CreatedKey>;
export type ExporterList = Static<typeof schemas.ExporterList>;
export type { ChatCompletion, Operation, RunEvent } from '@svc/contracts';
