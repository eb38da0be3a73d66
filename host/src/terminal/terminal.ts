import { styleText } from 'node:util';

type Style = 'red' | 'yellow' | 'green' | 'bold' | 'dim';

/** Styles a text on a terminal with colours, unless NO_COLOR is set. Text for files and pipes is unchanged. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY ? styleText(style, text, { stream }) : text;
}

/** Somebody else's text as a single line. Control and direction characters are escaped, because they could change what a terminal shows. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    JSON.stringify(character).length > 3
      ? JSON.stringify(character).slice(1, -1)
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
