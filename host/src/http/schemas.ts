import { EVENT_SCHEMAS, ModelInventory, Operation, RunEvent, RunEvidence } from '@svc/contracts';
import type { TSchema } from 'typebox';
import { ConsistencyProof, InventoryList, LedgerKeys, LedgerList, OperationList, Report, RunList } from './schemas/audit.ts';
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatErrorFrame,
  ChatInputRequest,
  ChatMessage,
  ChatRequest,
  CompletionRequest,
  TextCompletion,
} from './schemas/chat.ts';
import { ConfigurationChange, ConfigurationStatus, Diagnostic, ReloadOrder, ReloadResult } from './schemas/configuration.ts';
import { EmbeddingList, EmbeddingsRequest } from './schemas/embeddings.ts';
import { ErrorBody } from './schemas/errors.ts';
import { CreatedKey, CreateKey, Key, KeyList, RotateKey } from './schemas/keys.ts';
import { CountTokensRequest, Message, MessageEvent, MessagesRequest, TokenCount } from './schemas/messages.ts';
import { RagDelete, RagDeleted, RagErased, RagFound, RagIndex, RagIndexed, RagQuery } from './schemas/rag.ts';
import { DeletedResponse, ModelResponse, ResponsesEvent, ResponsesRequest } from './schemas/responses.ts';
import { Health, Model, ModelList, RouteList, RouteNode, RouteView } from './schemas/routes.ts';
import {
  CreatedRun,
  CreateRun,
  Decide,
  DecidedRun,
  ErasedRun,
  PendingRun,
  Run,
  RunResponse,
  SentRequest,
  StoredRun,
} from './schemas/runs.ts';
import { PageSession, SignedOut } from './schemas/session.ts';
import { SetState, State, StateList } from './schemas/states.ts';
import { Usage } from './schemas/usage.ts';

export * from './schemas/audit.ts';
export * from './schemas/chat.ts';
export * from './schemas/configuration.ts';
export * from './schemas/embeddings.ts';
export * from './schemas/errors.ts';
export * from './schemas/keys.ts';
export * from './schemas/messages.ts';
export { eg, keepHeader, reasonInQuery, reasonOnRecord, ref } from './schemas/parts.ts';
export * from './schemas/rag.ts';
export * from './schemas/responses.ts';
export * from './schemas/routes.ts';
export * from './schemas/runs.ts';
export * from './schemas/session.ts';
export * from './schemas/states.ts';
export * from './schemas/usage.ts';

/** Every schema with a name, for validation and openapi.json. */
export const NAMED_SCHEMAS: readonly TSchema[] = [
  Diagnostic,
  ErrorBody,
  ...EVENT_SCHEMAS,
  RunEvent,
  ModelInventory,
  RunEvidence,
  Operation,
  ChatMessage,
  ChatRequest,
  CompletionRequest,
  TextCompletion,
  ChatInputRequest,
  ChatCompletion,
  ChatCompletionChunk,
  ChatErrorFrame,
  ResponsesRequest,
  ModelResponse,
  ResponsesEvent,
  DeletedResponse,
  EmbeddingsRequest,
  EmbeddingList,
  MessagesRequest,
  CountTokensRequest,
  TokenCount,
  Message,
  MessageEvent,
  Model,
  ModelList,
  CreateRun,
  CreatedRun,
  Run,
  StoredRun,
  Decide,
  DecidedRun,
  PendingRun,
  RunResponse,
  ErasedRun,
  SentRequest,
  RunList,
  LedgerList,
  InventoryList,
  OperationList,
  Report,
  ConsistencyProof,
  LedgerKeys,
  RouteNode,
  RouteView,
  RouteList,
  Health,
  SetState,
  State,
  StateList,
  ConfigurationStatus,
  ReloadOrder,
  ConfigurationChange,
  ReloadResult,
  RagIndex,
  RagIndexed,
  RagDelete,
  RagDeleted,
  RagErased,
  RagQuery,
  RagFound,
  CreateKey,
  RotateKey,
  CreatedKey,
  Key,
  KeyList,
  Usage,
  PageSession,
  SignedOut,
];
