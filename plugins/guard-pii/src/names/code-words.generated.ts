// Made by training/code-words.ts. Do not edit.
/** Words that identifiers are built of, in lower case. */
export const CODE_WORDS = `
abort abortable aborted above abs absent absolute abstract acceleration accept accepted access accessed accessibility accessible accessor
account accumulated accumulator accuracy ack acknowledged acquire acquired acquisition action actions active activity actual adapter adaptive
add added additional addr address addresses admin adopt advanced advisor aes affect affected after age agent agents aggregate ahead aisdk ajv
alert alg algorithm algorithms alias aliased aliases alive all alloc allocate allow allowed allowlist alpha alphabet already alt always
amazon ambient ambiguous amount analysis analyze ancestor ancestors anchor anchored anchors and angle animation animations annotation
annotations anonymous another ansi answer answers anthropic any api apiv app append apple applicable application applied apply approval
approve approved arbitrary arch archived are area arg args argument arguments argv aria arithmetic ark arn arr array arrays arrow artifact
artifacts ascii aspect assembly assert assertion assertions asset assets assign assignable assigned assignment assistant assume ast
asymmetric async atomic attach attached attachment attachments attempt attempted attempts attestation attr attribute attributes attrs
audience audio augment auth authenticate authenticated authentication authorization authorized auto autocomplete automatic automatically
available avg await aware aws azure back backchannel backend background backlog backoff backtick bad badge bag balance balanced banner bar
bare base based baseline bash basic basics batch batches bearer bedrock been before begin behavior below benchmark best beta between bias big
bigint bin binaries binary bind binding bindings bis bit bits black blank blend blob block blocked blocks blue bodies body bom bool boolean
bootstrap both bound boundaries boundary bounded bounding bounds box bpe brace bracket bracketed branch brand branded brands break breakpoint
bright broadcast browser bsd bubble bucket budget buf buffer buffered buffers build builder built builtin builtins bun bundle bundled busy
but button byob byte bytes cache cached calculate calculator call callable callback callbacks called caller callers calling calls camel can
cancel canceled cancellation cancelled candidate candidates cannot canonical canvas cap capabilities capability capacity caps capture
capturing card caret carriage carrier case cased cases casing cast catalog catch categories category caught cause cbc cell cert certificate
certificates chain chained challenge change changed changes channel channels char character characters chars charset chat check checked
checker checkpoint checks checksum child children choice chokidar chrome chunk chunking chunks cidr cipher circular citation cited cjs claim
claims clamp clamped class classes classification classifier classify claude clause clean cleanup clear cleared cli click client clock clone
cloned close closed closing cloud cls cluster cmd coalesced code codec codegen codes coerce col collect collected collection collections
collector colon color colors column columns combine combined comma command commands comment comments commit committed common compact
compaction company comparable comparator compare comparison compat compatibility compatible compilation compile compiled compiler compiling
complete completed completion completions complex component components compose composed composite composition compound compress compressed
compression compressor compute computed computer concat concurrency concurrent cond condition conditional conditions config configs
configurable configuration configure configured confirm confirmation conflict conflicting connect connected connection connections connector
consent consistent console const constant constrain constrained constraint constraints construct constructor consume consumed consumer
contact contain container containing contains content contents context contexts contextual continuation continue control controller controls
conversation conversations conversion convert converted converter converters cookie cookies coordinate copied copy core cors cost count
counter country counts coverage cpu crash crawl create created creation creator credential credentials credit criteria critical crlf cron
cross crypto csp css ctor ctrl ctx curr currency current cursor curve custom cwd cxt cyan cycle cycles cyclic dangerously dark dash data
database dataset date day days deadline debounce debounced debug debugger dec decide decimal decision decisions decl declaration declarations
declarator declare declared decode decoded decoder decoding decompress decompression decorate decoration decorator decorators decrypt
dedicated deduplicate deep def default defaults defer deferred define defined definitely definition definitions deflate defs delay delayed
delegate delegation delegator delete deleted delimiter deliver delivered delivery delta deltas denied deno deny dep dependencies dependency
dependent deployment deprecated deprecation deprecations deps depth deref derive derived desc descendant describe description descriptions
descriptor descriptors deserialize desired dest destination destroy destroyed detach detached detail detailed details detect detected
detection detector determine deterministic dev developer development device dfff diagnostic diagnostics dialect dict dictionary did diff
difference digest digests digit digits dimension dimensions dir direct direction directive directives directories directory dirs dirty
disable disabled disallow disallowed discard discarded disconnect discover discovery discriminated discriminator disjoint disk dispatch
dispatched dispatcher dispatches display disposable dispose disposition distance distribute distributed distribution divisor dns doc docker
docs document documentation documents does dog dom domain domains done dont dot dots double down downlevel download downloads dpop draft drag
drain draw driver drop dropped dry dst dtls dts dual dummy dump duplex duplicate duplicates durability duration durations during dynamic
dynamically each early ecdh echo ecma edge edges edit editor edits effect effective effects effort elapsed element elements else email emails
embed embedded embedding embeddings emit emitted emitter emoji empty enable enabled enc enclosing encode encoded encoder encoding encodings
encrypted encryption end ended ending endpoint endpoints ends energy enforce enforced engine enqueue ensure enter entered entities entity
entries entry enum enumerable enums env envelope environment environments eof ephemeral epoch eql equal equality equals erasable err errno
error errored errors errs esbuild escape escaped esm estimate estimated eval evaluate evaluated evaluation evaluator even event events every
exact example examples exceeded except exception exceptions excess exchange excl exclude excluded excludes exclusion exclusive exec
executable execute executed execution executor exhausted exist existing exists exit exp expand expanded expansion expect expectation expected
expensive experimental expiration expired expires explain explicit exponent exponential export exported exporter exports expose exposed expr
expression expressions ext extend extendable extended extends extensible extension extensions external extra extract extracted extraction
extractor extras face facing factor factories factory fail failed failing failure failures fake fallback fallbacks fallthrough false falsy
family fast fastify fatal feature features feed feedback fetch fetched few fidelity field fields fifo file filename filenames filepath files
filesystem fill filter filtered filters final finalization finalize finalized finally find fingerprint finish finished finite first fix fixed
fixture fixtures flag flags flat flatten flattened flex flight float flow flush fmt focus fold folded folder follow font foo footer for
forbidden force forced foreground foreign forget fork form formal format formats formatted formatter formed forms forward forwarded found
four fraction fractional frag fragment fragments frame frames free freeze frequency fresh from front frontmatter frozen fulfilled full fully
func function functions future gap gateway gcm gcp gen general generate generated generation generator generators generic geo get getter ggo
git github given glob global globals good google gpt gpu gradient grant granted granularities graph graphql greater green grid group grouped
grouping groups guard guarded guardrail guards guide gzip half hand handle handled handler handlers handles handling handshake hard hardware
has hash hashed hashes have head header headers health heap height held help helper helpers here heritage hex hidden hide high highlight hint
hints histogram history hit hmac hmr hold home hook hooks horizontal host hosted hostname hosts hour hours hover how html http https hub
human hybrid hyper iana ice icon idb idempotency idempotent ident identical identifier identifiers identity idl idle idn ids idx ignore
ignored illegal image images immediate impl implementation implemented implements implicit import imported importer importing imports inbound
include included includes incoming incomplete increase increment incremental indent indentation index indexed indexes indicator indices infer
inference inferred infinity inflate info information informational infos ingest inherited ini init initial initialization initialize
initialized initializer initiated inits inject injection inline inlined inner input inputs ins insecure insensitive insert inserted inside
inspect inspectable inspection inst install installation installed instance instances instantiation instruction instructions insufficient int
integer integration intent inter interactive intercept interceptable interceptor interceptors interface internal internals interop
interpolation interpret interpreter interrupt interrupted intersect intersection interval into intrinsic introspection invalid invalidate
invert inverted invocation invocations invoke invoked ipc ipv iso isolated issue issued issuer issues item items iter iterable iterate
iteration iterations iterator java javascript jest jitter job jobs join json jsonc jsonl jsonrpc jsx jtd jwk jwks jws jwt kebab keep key
keyed keyframe keyframes keyof keys keyword keywords kill kind kinds kit kms known kwd lab label labeled labels lang language large last late
latency latest layer layout lazy leading leaf leap least leaves left legacy legal len length lengths lenient less letter level levels lib
library license life lifecycle lifetime light like likes limit limited limits line linear lines link linked links lint linux list listen
listener listeners listening listing lite literal literals live llm load loaded loader loading loads local locale locales locals location
locations lock locked log logger logging logical login logit logo logout logprobs logs long longest look lookup loop loose los lost low lower
lowercase lru lsn lstat mac macro magenta magic magnitude mailto main major make managed management manager managers manifest manual many map
mapped mapper mapping mappings maps margin mark markdown marker mask match matched matcher matchers matches matching material materialized
math matrix mattias max maximum may maybe mcp mean measure mechanism media mem member members membership memo memory merge mergeable merged
message messages meta metadata method methods metric metrics microtask mid middle middleware millis milliseconds mime min mini minify minimal
minimum minor minus minute minutes mismatch miss missed missing mixed mixin mkdir mock mocked mocks mod modal modalities mode model models
moderation modes modified modifier modifiers modify module modules modulus monotonic month more mount mouse move msg msw mtime multi
multipart multiple must mutable mutation mutually mux name named names namespace namespaced namespaces nano napi narrow native navigate
navigation navigator ndistinct near need needed needle needs negative negotiation nested nesting net network neutral never new newline next
node nodejs nodes noise non nonce none noop normal normalization normalize normalized not notation note notes notice notification notify now
npm nth null nullable nullish nulls num number numbered numbering numbers numeric nums oaep oauth obj object objects obs observe observed
observer oct off offer offline offset oid oidc old omit omitted once one ongoing only opaque open openai openapi opened opening operation
operations operator ops opt optimization optimize option optional options opts order ordered ordering org organization orientation orig
origin original origins otel other out outbound outcome outer outgoing output outputs outside over overflow overhead overload overloaded
overridden override overrides overwrite own owned owner owns oxc pack package packages packet packets pad padding page pages paginated
pagination pair pairs parallel parallelism param parameter parameters params paren parent parenthesized parents parse parsed parser parsers
parsing part partial partially partition parts party pascal pass passed passes passing passthrough password pat patch path pathname paths
pattern patterns pause paused payload payment pbkdf peek peer pem penalty pending per percent percentage percentile perf performance period
periodic permission permissions persist persisted persistent person pet phase phone physical pick pictographic pin ping pino pipe pipeline
pkce place placeholder placement plain plan planned platform play playback playing plugin plugins plural plus point pointer pointers points
policy poll polling pool pop populate popup port portable portal pos position positional positions positive posix possible possibly post
postal postgres power pragma pre preceding precise precision precondition predefined predicate predicted prediction prefer preference
preferred prefix prefixed prefixes preflight preload preparation prepare prepared prepend preprocess preprocessor presence present preserve
preset pressed pressure pretty prev prevent prevented preview previous previously price primary prime primitive principal print printable
prior priority private probability probe problem procedure process processed processing processor processors product production profile prog
program programmatic progress project projection projects promise promises prompt prompts prop propagation properties property props
protected proto protocol protocols prototype prototypes provenance provide provided provider providers proxy prune pseudo pss ptr pub public
publish published pull purpose push put python quad qualified quality queries query question queue queued queuing quota quote quoted quotes
radial radius raise random range ranges ranking rate ratio raw reached react read readable reader readers readonly reads ready real realpath
realtime reason reasoning reasons rebuild receive received receiver recent recipient recognized recommended reconnect reconnection record
recordable recorded recorder recording records recovery rect recurse recursion recursive recursively recv red redact redacted redirect
redirections redirects redis reduce reduced reduction ref reference referenced references referencing referrer refine refinement refresh refs
refusal refused reg regex regexp region regional register registered registration registrations registries registry regular reject rejected
rejection related relative release released relevance relevant reload remaining remap remember remote removal remove removed rename render
rendered rendering repeat replace replacement replacements replacer replaces replay replication reply repo report reported reporter reporting
reports repository req request requested requests require required requirement requirements requires res reserve reserved reset resident
resizable resize resolution resolutions resolvable resolve resolved resolver resolvers resolves resource resources response responses rest
restart restore restrict restricted result resulting results resumable resume retain retained retention retriable retries retrieve retrieved
retry retryable return returned returns reusable reuse reverse reversed review revised revision reviver revocation rewrite rfc rgb right
robin role roles rollback rolldown rollup root roots rotate round rounding route router routes routing row rows rpc rsa rtc rtp rule rules
run runnable runner running runs runtime safe safety salt same sample sampled samples sampling sandbox sanitize satisfies save saved saw
scalar scale scan sch schedule scheduled schema schemas scheme schemes scope scoped scopes score scores screen screenshot script scripts
scroll sdk sdp sealed search searching sec second secondary seconds secret secrets section sections secure security see seed seek seen
segment segments select selected selection selector selectors self sem semantic semicolon send sender sensitive sent sentinel sep separate
separator seq sequence sequencer sequences serial serializable serialization serialize serialized serializer serializers series serve server
servers service session sessions set sets setter setting settings settle settled setup severity sha shadow shadowed shape share shared
shebang sheet shell shift shim short shortcuts shorthand should show shutdown sibling side sig sign signable signal signals signature
signatures signed signer significant signing silence silent similarity simple simulate since single singleton singular sink site sites size
sizes skew skill skills skip skipped slash slashes sleep slice slot slots slow slug small smart smoothing snake snapshot snapshots sniff
snippet socket sockets socks solution some something sort sorted sorting source sourcemap sources space spaces spacing span spans sparse
spawn spec special specific specification specified specifier specifiers specs speech speed spend spliced split splitter spread spy sql
sqlite square squared src sse ssl sso stability stable stack stage staged stale stamp standalone standard star start started starting starts
startup stat state statement states static statistics stats status statuses std stderr stdin stdio stdout step steps stop stopped storage
store stored stores str strategy stream streamed streaming streams strict strictly string stringify strings strip stripped stroke strong
structural structure structured structures stub stubs style styles sub subagents subdomain subject submit submitted subschema subscribe
subscription subset substitution subtle subtract subtree succeeded success successful suffix suffixes suggested suggestion suite sum summary
super superset supplied support supported supports suppress suppressed surface surrogate suspended svg swap switch symbol symbolic symbols
symlink symlinks symmetric syn sync synchronous syntax synthetic system tab table tabs tag tagged tags tail take taken tap tar target targets
task tasks tcp team tee telemetry temp temperature template templates temporal temporary tenant terminal terminate termination terminator
terms test testing tests text texts than that the then thing thinking third this thread threads three threshold throttle through throw thrown
tick ticks tier tiers tiktoken tilde tilt time timed timeline timeout timeouts timer timers times timestamp timing timings title tls tmp todo
toggle token tokens tolerance toml too tool tools toolset top topic topology total totals trace traced tracer traces tracing track tracker
tracking trailers trailing trait transaction transceiver transcribe transcript transcription transfer transform transformation
transformations transformed transformer transient transition transitive translate translation transport transports tree trees trigger
triggered trim trip true truncate truncated truncation trust trusted truthy try tsconfig ttl tty tunnel tuple tuples turn turns two txid type
typed types typescript ucs uint umd unary unauthorized unavailable uncached unchanged unchecked uncloneable uncompressed undeclared undefined
under underlying underscore undici unescape unevaluated unexpected unfinished unhandled unicode uniform union unions unique unit units
universal unix unknown unlink unparsed unprocessable unreachable unregister unresolved unsafe unsubscribe unsupported until untrusted untyped
unused unwrap update updated updates upgrade upload uploaded upper uppercase upsert upstream uri url urls usage use used useless user
userinfo username users uses using usv utc utf util utilization utils uui uuid val valid validate validated validation validator validity
value values var variable variables variant variants variation vars vary vault vbo vector vectors vendor ver verbatim verbose verbosity
vercel verdict verification verified verifier verify version versioned versions vertex vertical very via video videos view viewport violated
violation virtual visibility visible visit visited visitor visitors vite vitest vocabularies vocabulary void volume wait waiting walk wall
warn warned warning warnings was wasm watch watched watcher water weak weather web webhook webhooks webidl webpack websocket weight well when
while white whitespace widen width wildcard will window windows wire with within without word words work worker workers workflow working
workload workspace world wrap wrapped wrapper wrappers writable write writer writes written wrong www xml yaml yarn year yellow yield you
your zero zip zlib zod zone zoom
`;
