import { formatYaml } from '../../../api/codec/yaml.ts';
import { formatExactJson } from '../../../base/exact-json.ts';

/** A list whose elements are made one by one, as its text is taken. */
export interface Sequence {
  /** Everything but the elements; not empty. */
  readonly head: object;
  readonly field: 'items' | 'rows';
  readonly elements: Iterable<unknown>;
}

export type TextStyle = 'json' | 'pretty' | 'yaml';

/** Pieces are about this long: one holds up others as briefly, and is worth a system call. */
export const pieceBytes: number = 64 * 1024;

/**
 * The text of a list in pieces: nobody who asks for everything makes the server hold all of its text, or nothing else be done
 * until it is there. The pieces together are, letter by letter, what the whole list would be.
 */
export function* textPieces(sequence: Sequence, style: TextStyle): Generator<Buffer, void> {
  const { begin, element, end } = writers[style](sequence);
  let text = begin;
  let count = 0;
  for (const each of sequence.elements) {
    text += element(each, count);
    count += 1;
    if (text.length < pieceBytes) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + end(count));
}

interface TextWriter {
  readonly begin: string;
  element(value: unknown, index: number): string;
  end(count: number): string;
}

const writers: Readonly<Record<TextStyle, (sequence: Sequence) => TextWriter>> = {
  json: ({ head, field }) => ({
    begin: `${formatExactJson(head).slice(0, -1)},"${field}":[`,
    element: (value, index) => `${index === 0 ? '' : ','}${formatExactJson(value)}`,
    end: () => ']}',
  }),
  pretty: ({ head, field }) => ({
    begin: `${formatExactJson(head, 2).slice(0, -2)},\n  "${field}": [`,
    // A string never holds a line feed in JSON, so each is between two lines of the value.
    element: (value, index) => `${index === 0 ? '' : ','}\n    ${formatExactJson(value, 2).replaceAll('\n', '\n    ')}`,
    end: (count) => (count === 0 ? ']\n}\n' : '\n  ]\n}\n'),
  }),
  yaml: yamlWriter,
};

/** What YAML says after a last line that could go on; at the end of the list, not of each element. */
const documentEnd = '...\n';

function yamlWriter({ head, field }: Sequence): TextWriter {
  let last = '';
  return {
    begin: `${formatYaml(head)}${field}:`,
    element(value) {
      const text = formatYaml([value]);
      last = text.endsWith(`\n${documentEnd}`) ? documentEnd : '';
      const lines = text.slice(0, text.length - last.length - 1);
      // Also in a block of text: its lines stand as far in as they did, two more all of them; empty ones stay empty.
      return `\n${lines.replace(/^(?=[^\n])/gm, '  ')}`;
    },
    end: (count) => (count === 0 ? ' []\n' : `\n${last}`),
  };
}
