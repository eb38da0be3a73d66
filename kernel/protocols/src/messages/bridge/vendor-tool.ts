/** The types of Anthropic's own tools end with a version date. */
const DATED = /_\d{8}$/;

export function isVendorTool(type: unknown): type is string {
  return typeof type === 'string' && (DATED.test(type) || type === 'mcp_toolset');
}
