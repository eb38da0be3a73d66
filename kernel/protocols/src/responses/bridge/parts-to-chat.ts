import type { JsonObject } from '@svc/contracts';
import { arrayAt, objectAt, textAt } from '../../common/bad-field.ts';
import { present } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';

/** The field of an item that contains parts. */
type Field = 'input.content' | 'input.output';

/**
 * The parts of an item in the chat format.
 * @throws {SvcError} SVC-REQ-001
 */
export function partsToChat(content: unknown, path: string, field: Field, lost: Lost): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return arrayAt(content, path).flatMap((part, index) =>
    partToChat(objectAt(part, `${path}/${index}`), `${path}/${index}`, field, lost),
  );
}

function partToChat({ type, ...part }: JsonObject, path: string, field: Field, lost: Lost): JsonObject[] {
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const { text, ...rest } = part;
      lost.noteAll(field, rest);
      return [{ type: 'text', text: textAt(text, `${path}/text`) }];
    }
    case 'refusal': {
      const { refusal, ...rest } = part;
      lost.noteAll(field, rest);
      return [{ type: 'refusal', refusal: textAt(refusal, `${path}/refusal`) }];
    }
    case 'input_image': {
      const { image_url, detail, ...rest } = part;
      lost.noteAll(`${field}.input_image`, rest);
      if (typeof image_url === 'string') return [{ type: 'image_url', image_url: present({ url: image_url, detail }) }];
      lost.note(field, type);
      return [];
    }
    case 'input_file': {
      const { file_data, file_id, filename, ...rest } = part;
      lost.noteAll(`${field}.input_file`, rest);
      if (file_data != null || file_id != null) return [{ type: 'file', file: present({ file_data, file_id, filename }) }];
      // A file name without a file is lost.
      lost.note(field, type);
      return [];
    }
    case 'input_audio': {
      const { input_audio, ...rest } = part;
      lost.noteAll(`${field}.input_audio`, rest);
      return [{ type: 'input_audio', input_audio: objectAt(input_audio, `${path}/input_audio`) }];
    }
    default:
      lost.note(field, textAt(type, `${path}/type`));
      return [];
  }
}
