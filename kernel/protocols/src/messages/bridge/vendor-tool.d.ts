export declare function isVendorTool(type: unknown): type is string;
//# sourceMappingURL=vendor-tool.d.ts.map