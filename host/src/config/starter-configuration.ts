/** Hashes in the form of `hashOfKey`. */
interface StarterKeys {
  readonly key_hash: string;
  /** The hash of another principal's key, because nobody may approve their own request. */
  readonly approver_key_hash: string;
}

/**
 * The configuration that `svc init` writes. It has routes without external services, and comments on what to change.
 * @param schema_file name of the file beside it with its JSON Schema
 */
export function starterConfiguration({ key_hash, approver_key_hash }: StarterKeys, schema_file: string): string {
  return `# yaml-language-server: $schema=${schema_file}
# svc configuration. Check it with: svc lint --config svc.yaml
server: { host: 127.0.0.1, port: 8000 }

auth:
  keys:
    # More keys: svc keys create NAME --role call. A key can be limited to routes and roles.
    - { principal_id: admin, roles: [call, approve, audit, rag, admin], key_hash: "${key_hash}" }
    - { principal_id: approver, roles: [approve, audit], key_hash: "${approver_key_hash}" }

providers:
  # "echo" returns the request as the answer. For a real model, for example:
  # openai: { type: openai, base_url: https://api.openai.com/v1, api_key: "secret://env/OPENAI_API_KEY#value", region: us, developer: OpenAI }
  local: { type: echo, region: local, words_per_second: 15 }

packs:
  # Guards. svc try shows what they find in examples. Each rule has a name, a condition (match, words or max_characters) and a verdict.
  pii: {}
  injection: {}
  mask:
    type: rules
    rules:
      - { name: account, match: '\\b\\d{4}-\\d{4}-\\d{4}\\b', verdict: sanitize, replacement: <ACCOUNT> }
  policy:
    type: rules
    rules:
      - { name: wire, words: [wire transfer], verdict: require_approval }
      - { name: password, words: [my password is], verdict: block }
  codename: { type: rules, rules: [{ name: codename, words: [project aurora], verdict: block }] }
  allowance: { type: budget, limits: [{ scope: principal, unit: requests, amount: 3, period: minute }] }

routes:
  # The names that callers use as "model". self_approval: false: no one may approve their own request.
  default:
    provider: local
    model: echo-1
    owner: me
    self_approval: false
    pipeline: { ingress: [mask, pii, injection, policy], egress: [mask, pii] }
  # For the showcase: guards for the answer only, and an allowance of three requests a minute.
  answers: { provider: local, model: echo-1, owner: me, self_approval: false, pipeline: { ingress: [], egress: [codename, pii] } }
  allowance: { provider: local, model: echo-1, owner: me, self_approval: false, pipeline: { ingress: [allowance], egress: [allowance] } }
`;
}
