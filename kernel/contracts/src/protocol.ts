import type { ChatCompletion, ChatCompletionChunk, ChatRequest, TokenUsage } from './chat.ts';
import type { JsonObject } from './json.ts';
import type { SkippedPart, TextOrigin } from './segment.ts';
import type { ProtocolTools } from './tools.ts';

/** The name of a client protocol: `openai.chat`, `openai.responses`, `anthropic.messages`, or one that a plugin adds. */
export type ProtocolId = string;

/** A request in the form of its protocol. `model` is the name of the route; for a provider, it is the upstream model. */
export interface RequestBody {
  model: string;
  [field: string]: unknown;
}

/** A complete answer in the form of its protocol. */
export interface AnswerBody {
  [field: string]: unknown;
}

/** One event of a streamed answer: the object in its `data`. If the protocol names its events, `type` is the name. */
export interface AnswerFrame {
  [field: string]: unknown;
}

/** The fixed values that a protocol allows in a field. Guards do not need to check them. */
export interface Vocabulary {
  has(value: string): boolean;
}

/**
 * Why guards cannot read a value. Null: the value is text. `readable`: guards see the value as text, because it is a link or an id.
 * @param beside the object that contains the value; its other fields may determine the kind
 */
export type OpaqueKind = (
  value: string,
  beside: object,
) => { readonly why: SkippedPart['why']; readonly readable: boolean } | null;

/** Whether a text is a model's thinking. @param beside the object that contains the text; its type may determine this */
export type IsThinking = (beside: object) => boolean;

/** The meaning of a field in a body. */
export interface Place {
  /** A string of JSON that a model wrote for a tool. Guards see each value in it. */
  readonly isToolArguments: boolean;
  /** A JSON value (not a string) that a model wrote for a tool. The model also chose its keys. */
  readonly isToolInput: boolean;
  readonly isName: boolean;
  /** Whether the gateway writes this field. */
  readonly isOwn: boolean;
  /** Whether this field is a quantity. */
  readonly isQuantity: boolean;
  readonly vocabulary: Vocabulary;
  /** `call`: the id that links a tool result to its call. Both are changed together. */
  readonly idKind: 'call' | 'other' | null;
  /** Whose strings in this field may be JSON that the reader receives unchanged: those of `anyone`, or only those of a `tool`. Null: nobody's. */
  readonly json: 'anyone' | 'tool' | null;
  readonly opaqueKind: OpaqueKind | null;
  /** Whether the value is a signature or encrypted thinking: only the vendor can read it, and expects it back unchanged. */
  readonly isSealed: boolean;
  /** Whether the object is useless without this sealed value. If so, removing the value removes the whole object. */
  readonly isEssential: boolean;
  /** Whether the object's `signature` covers the texts next to it. */
  readonly isSigned: boolean;
  /** Null: the text is never thinking. */
  readonly isThinking: IsThinking | null;
  /** The role of this text, if it differs from the role of its turn. Null: the role of the turn. */
  readonly role: string | null;
  /** The origin of this text; null: it follows from its role. */
  readonly origin: TextOrigin | null;
  /** For a turn or a part of one: the origin of all texts in it. Its type may determine this. Null: it follows from their places and roles. */
  readonly originOf: ((value: object) => TextOrigin | null) | null;
}

/** Where the bodies of a protocol contain text. A string in an unknown field also counts as text. */
export interface FieldTable {
  /** Path of the array of turns or answers, such as `messages`. A text belongs to the item that contains it. Empty: there is one answer. */
  readonly holder: string;
  /** Whether a key may appear in paths and events. All other keys were chosen by callers or models. */
  isKnownField(key: string): boolean;
  /** @param pattern a path with `*` for indexes and `?` for unknown keys */
  placeOf(pattern: string): Place;
}

/** A converted body, and the fields that were lost in the conversion, as paths of known names. */
export interface Bridged<T> {
  readonly body: T;
  readonly lost: readonly string[];
}

/** Converts the frames of one streamed answer in order. */
export interface FrameBridge<From, To> {
  /** @throws {ProviderError} `malformed` if a frame violates the protocol */
  take(frame: From): readonly To[];
  /** Called after the last frame. @throws {ProviderError} `malformed` if the answer is incomplete */
  end(): readonly To[];
  /** How many bytes of the answer it buffers. Absent: almost none. Never decreases. */
  readonly held?: number;
}

/** Id, model and time for an answer that has no head. `created`: seconds since the Unix epoch. */
export interface AnswerIdentity {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** The run whose answer this one continues. Absent: none. */
  readonly continues?: string;
  /** Whether the answer is stored, so that a later request can continue it. Absent: this was not requested. */
  readonly isKept?: boolean;
}

/** Converts bodies to and from the chat format, and reports what is lost. */
export interface Bridge {
  /** @throws {SvcError} SVC-REQ-001 if the body is not a request of the protocol */
  requestToChat(body: RequestBody): Bridged<ChatRequest>;
  /** @throws {ProviderError} `unsupported` if the protocol cannot express the request */
  requestFromChat(request: ChatRequest): Bridged<RequestBody>;
  /** @throws {ProviderError} the error that the answer reports, or `malformed` */
  answerToChat(answer: AnswerBody, identity: AnswerIdentity): ChatCompletion;
  /** @param requested the request in this protocol; some answers repeat parts of it */
  answerFromChat(completion: ChatCompletion, requested: RequestBody): AnswerBody;
  framesToChat(identity: AnswerIdentity): FrameBridge<AnswerFrame, ChatCompletionChunk>;
  framesFromChat(requested: RequestBody): FrameBridge<ChatCompletionChunk, AnswerFrame>;
}

export interface RequestFacts {
  /** Number of requested answers. */
  readonly answers: number;
  /** Token limit of each answer; null: not set. */
  readonly max_output_tokens: number | null;
  /** Whether the caller requested JSON. */
  readonly wantsJson: boolean;
}

/** Parameters of a request that traces report. Absent: the request does not set it. */
export interface RequestParameters {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly frequency_penalty?: number;
  readonly presence_penalty?: number;
  readonly seed?: number;
  /** How much the model should think, in the protocol's own term, such as `high`. */
  readonly reasoning_level?: string;
}

/** A request as traces report it. */
export type TracedRequest = RequestFacts & RequestParameters;

/** What an upstream reports about itself in an answer. Unchecked: the values may have any type, and could contain text. */
export interface UpstreamHead {
  readonly id: unknown;
  readonly model: unknown;
}

export interface AnswerFacts {
  /** In the terms of the chat format, so that records of all protocols are comparable. Null: not reported. */
  readonly finish_reason: string | null;
  /** The upstream's own figures. Null: missing or unreadable. */
  readonly usage: TokenUsage | null;
}

/** The path of a text in a frame: keys and indexes. */
export type FramePlace = readonly (string | number)[];

/** The content of one frame of a streamed answer. Texts that it does not list are shown to guards as they are. */
export interface FrameReading {
  /** Pieces of streamed texts. Guards see all pieces of a channel as one text. */
  readonly pieces: readonly { readonly channel: string; readonly place: FramePlace }[];
  /**
   * The channels that end with this frame. Text that guards still buffer is sent before the frame, or directly after the channel's last piece if that
   * is in the frame. The same applies to a part that has no last frame of its own.
   */
  readonly ends: readonly string[];
  /**
   * Texts that repeat a whole channel, and objects that repeat a whole part under its name. If a repetition equals the received text or part, it is
   * replaced by the sent one.
   */
  readonly repeats: readonly { readonly channel: string; readonly place: FramePlace }[];
  /** The part that the frame belongs to, if guards check that part as a whole, such as a tool call. The part's frames wait until it is complete. */
  readonly part: {
    readonly name: string;
    readonly isComplete: boolean;
    /** Paths of the part in the frame; guards see the rest separately. Absent: the whole frame belongs to the part. */
    readonly places?: readonly FramePlace[];
  } | null;
  /** Signatures of streamed texts. `texts`: the channels that each covers, by field name. */
  readonly signatures: readonly { readonly place: FramePlace; readonly texts: Readonly<Record<string, string>> }[];
  /** Ids that several frames repeat. Guards see each id where it first appears, and later frames use the result. Absent: none. */
  readonly ids?: readonly FramePlace[];
  /** Whether the frame starts something. If so, it is sent even while its texts are buffered. Absent: no. */
  readonly isBeginning?: boolean;
  /** Whether the frame contains a part of the answer that is not text, such as audio. Absent: no. */
  readonly isAnswer?: boolean;
  /** Whether the frame is one of the last ones, which report that the answer is complete. They are sent only when the evidence is on disk. */
  readonly isLast: boolean;
}

/** A part of an answer that arrived in several frames, in its complete form. */
export interface FramePart {
  /** Its path in a complete answer, such as `content.2`. */
  readonly path: string;
  readonly value: JsonObject;
}

/** Reads the frames of one streamed answer. */
export interface FrameReader {
  /** @throws {ProviderError} the error that the frame reports, or `malformed` if the frame violates the protocol */
  read(frame: AnswerFrame): FrameReading;
  /** The facts of the answer received so far. */
  readonly facts: AnswerFacts;
  /** Whether the answer is complete. */
  readonly isComplete: boolean;
  /** Called when the upstream has ended the answer. @returns the frames that are still missing; they are then read like the others. Absent: none are missing */
  end?(): Iterable<AnswerFrame>;
  /** Creates a frame with one more piece of an open channel. */
  pieceOf(channel: string, text: string): AnswerFrame;
  /** The path of a channel in a complete answer, such as `content.0.text`. */
  pathOf(channel: string): string;
  partOf(frames: readonly AnswerFrame[]): FramePart;
  /** Creates the frames of a part that guards have edited. @param frames as received */
  framesOf(part: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[];
}

/** Streamed answers of a protocol. */
export interface ProtocolFrames {
  /** Where a frame contains text. */
  readonly table: FieldTable;
  reader(): FrameReader;
  /** As {@link Protocol.checkable}, for a frame, before guards check it. Absent: nothing is removed. */
  checkable?(frame: AnswerFrame): { readonly answer: AnswerFrame; readonly left_out: readonly string[] };
  /** Assembles an answer from all of its frames. */
  gatherer(): { take(frame: AnswerFrame): void; answer(): AnswerBody };
  /** The frames of a complete answer. */
  framesOf(answer: AnswerBody): Iterable<AnswerFrame>;
  /** Tracks the frames that were sent, so that the gateway can end the answer at any point. */
  ending(): FrameEnding;
  /** A frame that keeps an idle stream alive. Null: the protocol has no such frame, so white space or a comment is sent. */
  readonly keepAlive: AnswerFrame | null;
  /** The frames with which a stream must start if the gateway keeps it alive before the upstream sends its own. Empty: none. */
  opening(requested: RequestBody, identity: AnswerIdentity): readonly AnswerFrame[];
  /** Whether a frame is one of those with which a stream must start. */
  isOpening(frame: AnswerFrame): boolean;
  /** The frame with its position in the stream, counted from 0, if frames of this protocol have one. */
  numbered(frame: AnswerFrame, number: number): AnswerFrame;
  /** The frame with usage counted by the gateway, if it contains usage; any other frame unchanged. */
  withUsage(frame: AnswerFrame, usage: TokenUsage): AnswerFrame;
  /** Adds the gateway's own fields to a frame that ends an answer. Returns any other frame unchanged. */
  withReceipts(frame: AnswerFrame, receipts: Readonly<Record<string, unknown>>): AnswerFrame;
}

/** Ends an answer after some of its frames were sent. */
export interface FrameEnding {
  /** Records a frame that was sent. */
  take(frame: AnswerFrame): void;
  /** How many bytes of the answer it buffers. Absent: almost none. Never decreases. */
  readonly held?: number;
  /**
   * The frames that end the answer here.
   * @param text the reason, for people
   * @param as how the reason is sent: as text of the answer, or as a refusal
   */
  frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Iterable<AnswerFrame>;
}

/** A protocol: where its bodies contain text, and functions to read and change them. It must be pure: no I/O, no state between calls. */
export interface Protocol {
  readonly id: ProtocolId;
  readonly request: FieldTable;
  readonly answer: FieldTable;
  /** The turns of a request, as an array that the caller may change. */
  turnsOf(body: RequestBody): unknown[];
  /** A request with these turns. It shares all other values with the original. */
  withTurns(body: RequestBody, turns: readonly unknown[]): RequestBody;
  /** The role of each turn: `system`, `user`, `assistant` or `tool`. */
  rolesOf(body: RequestBody): readonly string[];
  /**
   * Adds a user text before the turn at this index, or after tool results that must follow their calls. The turn or part that holds the text is
   * marked by `svc_origin: "retrieved"`.
   */
  addText(body: RequestBody, at: number, text: string): void;
  factsOf(body: RequestBody): RequestFacts;
  /** The parameters that traces report. Absent: none. */
  parametersOf?(body: RequestBody): RequestParameters;
  /** The upstream's own id and model, in an answer or a frame of one. Null: this frame has none. Absent: answers never have them. */
  headOf?(answer: AnswerBody | AnswerFrame): UpstreamHead | null;
  /** The parts of a request that a model reads, as JSON. Used to estimate tokens. */
  readIn(body: RequestBody): unknown;
  /** @throws {ProviderError} the error that the body reports, or `malformed` if the body is not an answer of the protocol */
  readAnswer(value: unknown): AnswerBody;
  outcomeOf(answer: AnswerBody): AnswerFacts;
  /** The text of the (first) answer. Empty if it has none. */
  textOf(answer: AnswerBody): string;
  /** The parts of an answer that the model produced: everything but head, usage and finish reasons. */
  contentOf(answer: AnswerBody): unknown;
  /** The text that the model wrote, as JSON. Used to estimate tokens. Null: none. */
  writtenIn(answer: AnswerBody): unknown;
  /** The answer without fields that repeat its text in a form that guards cannot check, such as `logprobs`. `left_out`: the paths of these fields. */
  checkable(answer: AnswerBody): { readonly answer: AnswerBody; readonly left_out: readonly string[] };
  /** The answer with usage counted by the gateway, if the upstream reported none. */
  withUsage(answer: AnswerBody, usage: TokenUsage): AnswerBody;
  /** The answer with the gateway's own head. The upstream's ids may change and could contain text. */
  withHead<T extends AnswerBody | AnswerFrame>(answer: T, identity: AnswerIdentity): T;
  /** The answer as turns of the next request. */
  turnsOfAnswer(answer: AnswerBody): readonly unknown[];
  /** The tools that requests offer and models call. Absent: guards of tools refuse requests in this protocol. */
  readonly tools?: ProtocolTools;
  readonly frames: ProtocolFrames;
  /** Null for the chat format itself. */
  readonly bridge: Bridge | null;
}

/** A protocol other than the chat format. */
export interface BridgedProtocol extends Protocol {
  readonly bridge: Bridge;
}
