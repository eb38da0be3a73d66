import {
  type AnswerBody,
  type AnswerIdentity,
  type AnyProvider,
  type Bridged,
  type ChatCompletion,
  type ChatRequest,
  type Endpoint,
  isSvcError,
  type Protocol,
  ProviderError,
  type RequestBody,
} from '@svc/contracts';
import { CHAT, type Protocols } from '@svc/protocols';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import { withRevealed } from './opaque-fields.ts';

/** A request as it is sent to an endpoint. */
export interface OutgoingRequest {
  /** The protocol in which the endpoint is called. */
  readonly spoken: Protocol;
  /** The request in that protocol, with the endpoint's model. */
  readonly body: RequestBody;
  /** The fields that this protocol cannot express: paths of known names. */
  readonly lost: readonly string[];
}

export interface ConversionEnv {
  readonly handles: OpaqueHandles;
  readonly protocols: Protocols;
}

interface OutgoingRun {
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly principal_id: string;
  readonly route: { readonly name: string; readonly endpoints: readonly { readonly instance: AnyProvider }[] };
}

/**
 * A request as an endpoint receives it, with its handles decrypted and without marks of origin. It is unchanged, or converted through the chat format.
 * @throws {ProviderError} `unsupported`, `configuration`
 */
export function outgoingRequest(
  run: OutgoingRun,
  endpoint: Endpoint & { readonly instance: AnyProvider },
  { handles, protocols }: ConversionEnv,
  as: 'streamed' | 'whole',
): OutgoingRequest {
  const { protocol } = run;
  const spoken = spokenBy(endpoint.instance, protocol, protocols);
  const revealed = withRevealed(run.request, protocol.request, run, endpoint, handles);
  const { stream: _, stream_options, ...request } = revealed.request;
  const outgoing: RequestBody = {
    ...request,
    model: endpoint.model,
    ...(as === 'streamed' && stream_options != null ? { stream_options } : {}),
  };
  if (protocol === spoken) return { spoken, body: outgoing, lost: revealed.lost };
  const { body: chat, lost } = inChat(outgoing, protocol);
  // If no endpoint supports the request's protocol, the fields that the chat format lacks were reported before the run.
  const isSpoken = run.route.endpoints.some(({ instance }) => instance.protocols?.includes(protocol.id));
  const before = [...revealed.lost, ...(isSpoken ? lost : [])];
  if (spoken.bridge === null) return { spoken, body: chat, lost: before };
  const carried = spoken.bridge.requestFromChat(chat);
  return { spoken, body: carried.body, lost: [...before, ...carried.lost] };
}

/** Invalid requests were refused earlier, unless another endpoint accepts them unchanged. @throws {ProviderError} `unsupported` */
function inChat(outgoing: RequestBody, { bridge }: Protocol): Bridged<ChatRequest> {
  try {
    return bridge?.requestToChat(outgoing) ?? { body: outgoing as ChatRequest, lost: [] };
  } catch (cause) {
    throw isSvcError(cause) ? new ProviderError('unsupported', { status: 400, cause }) : cause;
  }
}

/** The protocol in which an endpoint is called: the request's own if the endpoint supports it. @throws {ProviderError} `configuration` */
function spokenBy({ protocols }: AnyProvider, own: Protocol, known: Protocols): Protocol {
  if (protocols === undefined) return CHAT;
  if (protocols.includes(own.id)) return own;
  const spoken = known.get(protocols[0] ?? '');
  if (spoken === undefined) throw new ProviderError('configuration');
  return spoken;
}

/** An answer in the caller's protocol, and the fields that it cannot express: paths of known names. */
export interface Returned {
  readonly answer: AnswerBody;
  readonly left_out: readonly string[];
}

/** @param answer the upstream's answer, without the fields that only the gateway may write @throws {ProviderError} `malformed` */
export function returned(
  answer: AnswerBody,
  { spoken }: OutgoingRequest,
  { protocol, request }: Pick<OutgoingRun, 'protocol' | 'request'>,
  identity: AnswerIdentity,
): Returned {
  if (protocol === spoken) return { answer, left_out: [] };
  const { id, created, model } = identity;
  const chat: AnswerBody =
    spoken.bridge === null ? { ...CHAT.readAnswer(answer), id, created, model } : spoken.bridge.answerToChat(answer, identity);
  const own = protocol.bridge === null ? chat : protocol.bridge.answerFromChat(chat as ChatCompletion, request);
  const { svc_left_out, ...rest } = own;
  return { answer: rest, left_out: leftOutIn(svc_left_out) };
}

/** The paths that a bridge reports as left out. */
export function leftOutIn(svc_left_out: unknown): readonly string[] {
  return Array.isArray(svc_left_out) ? svc_left_out.filter((path) => typeof path === 'string') : [];
}
