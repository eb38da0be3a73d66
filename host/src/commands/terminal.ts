import { styleText } from 'node:util';

type Style = 'red' | 'yellow' | 'green' | 'bold' | 'dim';

/** A text for people: in colour on a terminal that has colours, unless NO_COLOR says otherwise; as it is for files and pipes. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY ? styleText(style, text, { stream }) : text;
}
