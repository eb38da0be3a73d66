export declare function fitsQuantity(digits: string): boolean;
//# sourceMappingURL=quantity.d.ts.map