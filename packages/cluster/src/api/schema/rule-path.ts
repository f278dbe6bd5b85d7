import type { FieldPath } from '../issue.ts';
import type { SchemaNode } from './node.ts';

interface Step {
  readonly name: string;
  /** Whether it is an entry of a map, and no field. */
  readonly isKey: boolean;
}

/** The steps of a rule's `fieldPath` (`.a.b`, `['c.d']`) through a schema; undefined when it leads nowhere. */
export function rulePath(path: string, schema: SchemaNode): readonly Step[] | undefined {
  const part = /\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\]/y;
  const steps: Step[] = [];
  let node: SchemaNode | undefined = schema;
  while (part.lastIndex < path.length) {
    const found = part.exec(path);
    if (found === null || node === undefined) return undefined;
    const name = found[1] ?? unescaped(found[2] ?? '');
    if (name === undefined) return undefined;
    const { properties, additionalProperties }: SchemaNode = node;
    if (properties !== undefined) {
      steps.push({ name, isKey: false });
      node = properties.get(name);
      if (node === undefined) return undefined;
    } else if (typeof additionalProperties === 'object') {
      steps.push({ name, isKey: true });
      node = additionalProperties;
    } else return undefined;
  }
  return steps.length === 0 ? undefined : steps;
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unescaped(text: string): string | undefined {
  let isKnown = true;
  const plain = text.replace(/\\(.)/gs, (_, letter: string) => {
    const meant = escapes[letter];
    if (meant === undefined) isKnown = false;
    return meant ?? '';
  });
  return isKnown ? plain : undefined;
}

export function placeOf(at: FieldPath, steps: readonly Step[]): FieldPath {
  return steps.reduce((place, { name, isKey }) => (isKey ? place.key(name) : place.field(name)), at);
}
