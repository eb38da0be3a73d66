import { type Static, Type } from 'typebox';

/**
 * Settings of every pack, whatever its guard. To add one, add it only here: the configuration's schema, the keys hidden from plugins and the nodes of
 * a pipeline all use this type.
 */
export const NodeSettings = Type.Object({
  timeout_ms: Type.Integer({
    minimum: 1,
    maximum: 3_600_000,
    default: 5000,
    description: 'Timeout of one check, in milliseconds.',
  }),
  on_error: Type.Enum(['block', 'require_approval', 'allow'], {
    default: 'block',
    description: 'Verdict when the guard fails or times out.',
  }),
  mode: Type.Enum(['enforce', 'observe'], {
    default: 'enforce',
    description: '`observe` records what the guard would have done and changes nothing.',
  }),
  required: Type.Boolean({
    default: false,
    description: 'Whether operators cannot disable the guard while the gateway runs. They can still stop its routes.',
  }),
  scope: Type.Enum(['all', 'new'], {
    default: 'all',
    description:
      'Which messages of a request to check: `all`, or `new` for only those after the last assistant message. Note that `new` skips the earlier messages, although the caller writes them too.',
  }),
});
export type NodeSettings = Readonly<Static<typeof NodeSettings>>;

export const NODE_SETTINGS: readonly string[] = Object.keys(NodeSettings.properties);

/** The same settings in a section that also holds a plugin's own options. */
export function nodeSettingsOf(section: NodeSettings): NodeSettings {
  return Object.fromEntries(Object.entries(section).filter(([key]) => NODE_SETTINGS.includes(key))) as NodeSettings;
}
