import type { ChatCompletion, ChatCompletionChunk, ChatRequest, TokenUsage } from './chat.ts';
import type { JsonObject } from './json.ts';
import type { SkippedPart } from './segment.ts';

/** Names a client protocol, one vendor's API for one kind of request: `openai.chat`, `openai.responses`, `anthropic.messages`, or a plugin's. */
export type ProtocolId = string;

/** A request as its protocol has it. `model` is the route's name; for a provider, the upstream model. */
export interface RequestBody {
  model: string;
  [field: string]: unknown;
}

/** A whole answer as its protocol has it. */
export interface AnswerBody {
  [field: string]: unknown;
}

/** One event of a streamed answer: the object in its `data`. Those of a protocol that names its events have the name as `type`. */
export interface AnswerFrame {
  [field: string]: unknown;
}

/** The few values that a protocol allows in a place. They mean the same in every body, so no guard has to check them. */
export interface Vocabulary {
  has(value: string): boolean;
}

/**
 * The kind of a value that no guard can read; null: it is text. `readable`: it is a link or an id, and shown all the same.
 * @param beside the object that holds the value, whose other fields may say what it is
 */
export type OpaqueKind = (
  value: string,
  beside: object,
) => { readonly why: SkippedPart['why']; readonly readable: boolean } | null;

/** Whether a text is a model's thinking. @param beside the object that holds it, whose type may say so */
export type IsThinking = (beside: object) => boolean;

/** What a place of a body means. */
export interface Place {
  /** JSON in a string that a model wrote for a tool: shown value by value. */
  readonly isToolArguments: boolean;
  /** JSON, not in a string, that a model wrote for a tool: each of its keys was chosen by the model. */
  readonly isToolInput: boolean;
  readonly isName: boolean;
  /** Whether the gateway itself writes this field. */
  readonly isOwn: boolean;
  /** Whether this field holds a quantity. */
  readonly isQuantity: boolean;
  readonly vocabulary: Vocabulary;
  /** `call`: it links a tool's result to its call, so that its places change together. */
  readonly idKind: 'call' | 'other' | null;
  /** Whose string here may be JSON that its reader gets unchanged: any role's, or only a tool's. */
  readonly json: 'anyone' | 'tool' | null;
  readonly opaqueKind: OpaqueKind | null;
  /** Whether it is for a model's vendor alone, who wants it back unchanged in the next request: a signature, or encrypted thinking. */
  readonly isSealed: boolean;
  /** Whether what holds this sealed value is nothing without it: then the vendor is not sent any of it. */
  readonly isEssential: boolean;
  /** Whether its `signature` holds for the texts beside it. */
  readonly isSigned: boolean;
  /** Null: never. */
  readonly isThinking: IsThinking | null;
  /** Who speaks here, whatever the turn says in which it stands; null: whoever speaks in that turn. */
  readonly role: string | null;
}

/** Where text stands in the bodies of a protocol. A string in a place that the table does not know is text, too. */
export interface FieldTable {
  /** Path of the array whose members are turns, or answers, such as `messages`: each text says in which of them it stands. Empty: there is one answer. */
  readonly holder: string;
  /** Whether a key may be shown in paths and events. Any other was chosen by a caller or a model. */
  isKnownField(key: string): boolean;
  /** @param pattern a path with `*` for indexes and `?` for keys that nobody knows */
  placeOf(pattern: string): Place;
}

/** What an answer in another protocol was made of, and what has no place in it: paths of known names. */
export interface Bridged<T> {
  readonly body: T;
  readonly lost: readonly string[];
}

/** Converts the frames of one streamed answer, in their order. */
export interface FrameBridge<From, To> {
  /** @throws {ProviderError} `malformed` for what its protocol does not allow */
  take(frame: From): readonly To[];
  /** After the last frame. @throws {ProviderError} `malformed` where the answer is not complete */
  end(): readonly To[];
  /** Bytes of the answer that it holds; absent: next to none. It never falls. */
  readonly held?: number;
}

/** Who answered: for the head of what has none of its own. `created`: seconds since the Unix epoch. */
export interface AnswerIdentity {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** The run of the answer that this one continues; absent: none. */
  readonly continues?: string;
  /** Whether it is kept, so that a later request may continue it; absent: nobody asked. */
  readonly isKept?: boolean;
}

/** To and from the chat format. What is lost is named. */
export interface Bridge {
  /** @throws {SvcError} SVC-REQ-001 for what is no request of its protocol */
  requestToChat(body: RequestBody): Bridged<ChatRequest>;
  /** @throws {ProviderError} `unsupported` for what its protocol cannot express */
  requestFromChat(request: ChatRequest): Bridged<RequestBody>;
  /** @throws {ProviderError} `malformed`, or what the server reports in its answer */
  answerToChat(answer: AnswerBody, identity: AnswerIdentity): ChatCompletion;
  /** @param asked the request of the protocol, which some answers repeat */
  answerFromChat(completion: ChatCompletion, asked: RequestBody): AnswerBody;
  framesToChat(identity: AnswerIdentity): FrameBridge<AnswerFrame, ChatCompletionChunk>;
  framesFromChat(asked: RequestBody): FrameBridge<ChatCompletionChunk, AnswerFrame>;
}

/** What the gateway needs to know of a request. */
export interface RequestFacts {
  /** Answers that are asked for. */
  readonly answers: number;
  /** Most tokens of each; null: the request does not say. */
  readonly max_output_tokens: number | null;
  /** Whether the answer is to be JSON, which its reader parses. */
  readonly wantsJson: boolean;
}

/** What the gateway needs to know of an answer. */
export interface AnswerFacts {
  /** In the words of the chat format, so that records of all protocols can be compared; null: the upstream gave none. */
  readonly finish_reason: string | null;
  /** The upstream's own figures; null: it gave none that can be read. */
  readonly usage: TokenUsage | null;
}

/** Where a text stands in a frame: keys and indexes. */
export type FramePlace = readonly (string | number)[];

/** What one frame of a streamed answer brings. A text of it that is named nowhere here is shown to guards as it is. */
export interface FrameReading {
  /** Texts that flow, a piece at a time: the guards see each channel as one text. */
  readonly pieces: readonly { readonly channel: string; readonly place: FramePlace }[];
  /**
   * Channels that end with this frame: what guards hold of them leaves before it, or behind the last piece where the frame has one of them. So does a
   * part that has no last frame of its own.
   */
  readonly ends: readonly string[];
  /**
   * Texts that say again all that a channel said; and objects that say again all of a part, under its name: where one equals what came, what left
   * takes its place.
   */
  readonly repeats: readonly { readonly channel: string; readonly place: FramePlace }[];
  /** The part of the answer to which the frame belongs, if that is judged as a whole, such as a tool call: its frames wait for it. */
  readonly part: {
    readonly name: string;
    readonly isComplete: boolean;
    /** Where it stands in the frame: the rest of the frame is shown by itself. Absent: all of the frame belongs to it. */
    readonly places?: readonly FramePlace[];
  } | null;
  /** Signatures of texts that flowed: each with the channels of the texts that it was made of, by the names of their fields. */
  readonly signatures: readonly { readonly place: FramePlace; readonly texts: Readonly<Record<string, string>> }[];
  /** Ids that several frames name: each is shown where it comes first, and leaves with every frame as it left there. Absent: none. */
  readonly ids?: readonly FramePlace[];
  /** Whether the frame begins something, so that it leaves also where its texts are held. Absent: it does not. */
  readonly isBeginning?: boolean;
  /** Whether it brings some of the answer that is no text, such as audio. Absent: it does not. */
  readonly isAnswer?: boolean;
  /** Whether the frame is one of the last, which say that the answer is complete: they wait for the evidence. */
  readonly isLast: boolean;
  /** Whether something goes on that had ended: frames that seemed to be the last were not. */
  readonly goesOn?: boolean;
}

/** A part of an answer that came in several frames, as it stands in a whole answer. */
export interface FramePart {
  /** Its place in a whole answer, such as `content.2`. */
  readonly path: string;
  readonly value: JsonObject;
}

/** Reads the frames of one streamed answer. */
export interface FrameReader {
  /** @throws {ProviderError} `malformed` for what the protocol does not allow, or what the server reports in a frame */
  read(frame: AnswerFrame): FrameReading;
  /** What has come so far. */
  readonly facts: AnswerFacts;
  /** Whether the answer is complete. */
  readonly isComplete: boolean;
  /** The upstream has ended the answer. @returns the frames that it still lacks, which are then read like others; absent: none */
  end?(): Iterable<AnswerFrame>;
  /** A frame with one more piece of a channel that is open. */
  pieceOf(channel: string, text: string): AnswerFrame;
  /** The path of a channel in a whole answer, such as `content.0.text`. */
  pathOf(channel: string): string;
  partOf(frames: readonly AnswerFrame[]): FramePart;
  /** The frames of a part that guards have edited. @param frames as they came */
  framesOf(part: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[];
}

/** Streamed answers of a protocol. */
export interface ProtocolFrames {
  /** Where text stands in a frame. */
  readonly table: FieldTable;
  reader(): FrameReader;
  /** As {@link Protocol.checkable}, of a frame, before guards look at it. Absent: there is nothing like it. */
  checkable?(frame: AnswerFrame): { readonly answer: AnswerFrame; readonly left_out: readonly string[] };
  /** Puts an answer together from all of its frames. */
  gatherer(): { take(frame: AnswerFrame): void; answer(): AnswerBody };
  /** The frames of a whole answer. */
  framesOf(answer: AnswerBody): Iterable<AnswerFrame>;
  /** Follows the frames that have left, so that the gateway can end the answer there. */
  ending(): FrameEnding;
  /** What tells the reader that the answer goes on, where nothing else was sent for a while. Null: no frame does, and white space or a comment is sent. */
  readonly keepAlive: AnswerFrame | null;
  /** The frames with which a stream must begin, for one that is kept alive before the upstream has sent its own; empty: none. */
  opening(asked: RequestBody, identity: AnswerIdentity): readonly AnswerFrame[];
  /** Whether a frame is one of those. */
  isOpening(frame: AnswerFrame): boolean;
  /** With its place in the stream, from 0, where frames have one. */
  numbered(frame: AnswerFrame, number: number): AnswerFrame;
  /** With figures that the gateway counted, in a frame that has such; any other frame is left as it is. */
  withUsage(frame: AnswerFrame, usage: TokenUsage): AnswerFrame;
  /** Puts fields of the gateway's own into a frame that ends an answer; any other frame is left as it is. */
  withReceipts(frame: AnswerFrame, receipts: Readonly<Record<string, unknown>>): AnswerFrame;
}

/** Ends an answer of which some frames have left. */
export interface FrameEnding {
  /** Takes a frame that has left. */
  take(frame: AnswerFrame): void;
  /** Bytes of the answer that it holds; absent: next to none. It never falls. */
  readonly held?: number;
  /**
   * The frames that end the answer here.
   * @param text why, for people
   * @param as whether it is said as a text of the answer, or as a refusal
   */
  frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Iterable<AnswerFrame>;
}

/** A protocol: where text stands in its bodies, and what the gateway needs to know of them. Pure: no I/O, and nothing is kept between calls. */
export interface Protocol {
  readonly id: ProtocolId;
  readonly request: FieldTable;
  readonly answer: FieldTable;
  /** The turns of a request as they stand in it: an array that may be changed. */
  turnsOf(body: RequestBody): unknown[];
  /** The request with other turns; it shares the rest. */
  withTurns(body: RequestBody, turns: readonly unknown[]): RequestBody;
  /** Who speaks in each of the turns: `system`, `user`, `assistant` or `tool`. */
  rolesOf(body: RequestBody): readonly string[];
  /** Adds a text of a user before the turn at this index; behind results of tools where they must follow their calls. */
  addText(body: RequestBody, at: number, text: string): void;
  factsOf(body: RequestBody): RequestFacts;
  /** What of a request a model reads, as JSON: tokens are estimated from it. */
  readIn(body: RequestBody): unknown;
  /** @throws {ProviderError} `malformed` for what is no answer of the protocol, or what the server reports in it */
  readAnswer(value: unknown): AnswerBody;
  outcomeOf(answer: AnswerBody): AnswerFacts;
  /** The text of an answer, of the first one where there are several; empty where it has none. */
  textOf(answer: AnswerBody): string;
  /** What of an answer is its model's: without head, figures and reasons. */
  contentOf(answer: AnswerBody): unknown;
  /** What of an answer a model wrote, as JSON: tokens are estimated from it. Null: nothing. */
  writtenIn(answer: AnswerBody): unknown;
  /** The answer without what repeats its text where no guard can follow, such as `logprobs`; `left_out`: paths of it. */
  checkable(answer: AnswerBody): { readonly answer: AnswerBody; readonly left_out: readonly string[] };
  /** With figures that the gateway counted, where the upstream gave none. */
  withUsage(answer: AnswerBody, usage: TokenUsage): AnswerBody;
  /** With the head that is the gateway's own: an upstream's ids may change, and could carry text. */
  withHead<T extends AnswerBody | AnswerFrame>(answer: T, identity: AnswerIdentity): T;
  /** An answer as turns of the next request. */
  turnsOfAnswer(answer: AnswerBody): readonly unknown[];
  /** Its streamed answers. */
  readonly frames: ProtocolFrames;
  /** Null: the chat format itself. */
  readonly bridge: Bridge | null;
}

/** A protocol beside the chat format. */
export interface BridgedProtocol extends Protocol {
  readonly bridge: Bridge;
}
