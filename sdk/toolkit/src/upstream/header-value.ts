/** A pattern for header values: visible ASCII without white space. */
export const HEADER_VALUE = '^[\\x21-\\x7e]+$';
