import { styleText } from 'node:util';

type Style = 'red' | 'yellow' | 'green' | 'bold' | 'dim';

/** Styles a text on a terminal with colours, unless NO_COLOR is set; unchanged for files and pipes. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY ? styleText(style, text, { stream }) : text;
}
