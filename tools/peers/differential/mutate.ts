/** Changes by chance of an object, nearly all of which make it a little wrong. Pure: the same chance makes the same changes. */
import type { JsonObject, Random, SchemaNode } from '@signalbox/cluster';

/** One change; it can be made to two objects that are alike. */
export type Edit =
  | { readonly do: 'remove'; readonly path: Path }
  | { readonly do: 'put'; readonly path: Path; readonly value: unknown }
  /** Appends a copy of an entry of a list. */
  | { readonly do: 'repeat'; readonly path: Path };

export type Path = readonly (string | number)[];

export interface Chance {
  readonly random: Random;
  /** Undefined: nothing is known of the kind. */
  readonly schema: SchemaNode | undefined;
}

/** What nobody edits: a server chooses it, or the player needs it. */
const fixed: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
]);

/** An edit of an object: of something that is there, or something new where the schema has room for it. */
export function someEdit(object: JsonObject, { random, schema }: Chance): Edit {
  const places = placesIn(object).filter(({ path }) => path.length > 0 && !isFixed(path));
  const { path, value } = pick(places, random) ?? { path: ['metadata'], value: undefined };
  switch (random.below(9)) {
    case 0:
    case 1:
      return { do: 'remove', path };
    case 2:
      if (typeof path.at(-1) === 'number') return { do: 'repeat', path };
      return { do: 'put', path: [...path.slice(0, -1), 'unheardOf'], value: 'x' };
    case 3:
      return { do: 'put', path, value: pick(words, random) };
    case 4:
    case 5: {
      const about = nodeAt(schema, path);
      return {
        do: 'put',
        path,
        value: about === undefined ? pick(words, random) : someValue(about, { random, depth: 0 }),
      };
    }
    default: {
      const added = additionTo(path, { value, random, schema });
      return added ?? { do: 'put', path, value: pick(words, random) };
    }
  }
}

export function withEdit(object: JsonObject, edit: Edit): JsonObject {
  return edited(object, edit.path, edit) as JsonObject;
}

function edited(value: unknown, path: Path, edit: Edit): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    if (!Array.isArray(value)) return value;
    if (rest.length > 0) return value.map((item, index) => (index === step ? edited(item, rest, edit) : item));
    if (edit.do === 'remove') return value.filter((_, index) => index !== step);
    if (edit.do === 'repeat') return [...value, value[step]];
    return value.map((item, index) => (index === step ? edit.value : item));
  }
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonObject;
  if (rest.length > 0) return { ...object, [step]: edited(object[step] ?? {}, rest, edit) };
  const { [step]: _, ...others } = object;
  return edit.do === 'put' ? { ...object, [step]: edit.value } : others;
}

interface Spot {
  readonly path: Path;
  readonly value: unknown;
}

function placesIn(value: unknown, path: Path = []): readonly Spot[] {
  const here = [{ path, value }];
  if (Array.isArray(value)) return [...here, ...value.flatMap((item, index) => placesIn(item, [...path, index]))];
  if (typeof value !== 'object' || value === null) return here;
  return [...here, ...Object.entries(value).flatMap(([name, field]) => placesIn(field, [...path, name]))];
}

function isFixed(path: Path): boolean {
  const [first, second] = path;
  if (first !== 'metadata') return path.length === 1 && fixed.has(String(first));
  return second === undefined || fixed.has(String(second));
}

/** A field that the schema knows, in the object at a place or in the one around it. */
function additionTo(path: Path, { value, random, schema }: Chance & { readonly value: unknown }): Edit | undefined {
  const at = typeof value === 'object' && value !== null && !Array.isArray(value) ? path : path.slice(0, -1);
  const node = nodeAt(schema, at);
  const fields = [...(node?.properties ?? [])].filter(([name]) => !isFixed([...at, name]));
  const field = pick(fields, random);
  if (field === undefined) return undefined;
  const [name, about] = field;
  return { do: 'put', path: [...at, name], value: someValue(about, { random, depth: 0 }) };
}

function nodeAt(schema: SchemaNode | undefined, path: Path): SchemaNode | undefined {
  let node = schema;
  for (const step of path) {
    const rest = typeof step === 'number' ? node?.items : (node?.properties?.get(step) ?? node?.additionalProperties);
    node = typeof rest === 'object' ? rest : undefined;
  }
  return node;
}

/** Something of the type that the schema wants, though seldom what it means. */
function someValue(node: SchemaNode, { random, depth }: { readonly random: Random; readonly depth: number }): unknown {
  if (node.intOrString === true) return pick([0, 1, 80, '50%', 'http', '-1'], random);
  if (node.quantity === true) return pick(['1', '100m', '1Gi', '0', '-1', '1e3'], random);
  const next = { random, depth: depth + 1 };
  switch (node.type) {
    case 'string':
      if (node.format === 'date-time') return '2026-01-02T03:04:05Z';
      return pick(texts, random);
    case 'integer':
    case 'number':
      return pick([0, 1, -1, 5, 30, 80, 65_536, 600], random);
    case 'boolean':
      return random.below(2) === 0;
    case 'array': {
      const { items } = node;
      if (items === undefined || depth > 4) return [];
      return Array.from({ length: random.below(3) }, () => someValue(items, next));
    }
    case 'object': {
      if (depth > 4) return {};
      if (node.properties === undefined) {
        const { additionalProperties: rest } = node;
        return typeof rest === 'object' ? { a: someValue(rest, next) } : {};
      }
      const { required = [] } = node;
      const chosen = [...node.properties].filter(([name]) => required.includes(name) || random.below(5) === 0);
      return Object.fromEntries(chosen.map(([name, field]) => [name, someValue(field, next)]));
    }
    default:
      return pick(words, random);
  }
}

const texts = [
  ...[
    'a',
    'main',
    'http',
    'web-0',
    '',
    'Not Valid!',
    'a.b',
    'example.com/a',
    '10.0.0.1',
    '10.0.0.0/8',
    '80',
    '-x',
    'x'.repeat(64),
    'x'.repeat(254),
  ],
  ...[
    'Always',
    'Never',
    'OnFailure',
    'IfNotPresent',
    'TCP',
    'UDP',
    'ClusterIP',
    'NodePort',
    'LoadBalancer',
    'None',
    'Local',
    'Cluster',
  ],
  ...[
    'RollingUpdate',
    'OnDelete',
    'Recreate',
    'Parallel',
    'OrderedReady',
    'Exists',
    'In',
    'DoesNotExist',
    'NoSchedule',
    'NoExecute',
  ],
  ...[
    'ReadWriteOnce',
    'ReadOnlyMany',
    'Retain',
    'Delete',
    'Allow',
    'Forbid',
    'HTTP',
    'Default',
    'ClusterFirst',
    '/a',
    '../a',
    '/var/log',
  ],
];

const words: readonly unknown[] = [
  ...texts,
  null,
  0,
  1,
  -1,
  1.5,
  80,
  70_000,
  2 ** 31,
  true,
  false,
  {},
  [],
  ['a'],
  { a: 'b' },
];

export function pick<T>(all: readonly T[], random: Random): T | undefined {
  return all[random.below(Math.max(1, all.length))];
}
