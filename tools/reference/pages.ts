import type { CustomResourceDefinition, New } from '@signalbox/cluster';
import { customResourceDefinitions } from '../../packages/telemetry/src/resources/crds.ts';
import { isPodPart } from '../../packages/telemetry/src/resources/texts/lookup.ts';
import { crdTypeNames } from '../gen/crd-names.ts';
import { fieldTable, headingOf, type Schema, withoutLists } from './table.ts';

export const referenceFolder = 'docs/custom-resources';

/** The reference of the custom resources: one page for each kind, and one for what several places share. */
export function referencePages(): ReadonlyMap<string, string> {
  const kinds = customResourceDefinitions().map(kindOf);
  const book = shared(kinds);
  const pages = kinds.map((each) => [`${each.kind}.md`, kindPage(each, book)] as const);
  return new Map([...pages, ['types.md', typesPage(book)], ['README.md', contentsPage(kinds)]]);
}

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly schema: Schema;
}

function kindOf({ spec }: New<CustomResourceDefinition>): Kind {
  const [version] = spec.versions;
  const schema = version?.schema?.openAPIV3Schema;
  if (version === undefined || schema === undefined) throw new Error(`${spec.names.kind} has no schema`);
  return { kind: spec.names.kind, apiVersion: `${spec.group}/${version.name}`, schema: schema as Schema };
}

interface Part {
  /** `Prometheus.spec.web` */
  readonly path: string;
  readonly schema: Schema;
}

/** What stands in several places with the same words, by these words. */
export type Book = ReadonlyMap<string, { readonly name: string; readonly schema: Schema }>;

function wordsOf({ properties, required = [] }: Schema): string {
  return JSON.stringify({ properties, required: [...required].sort() }, (key, value: unknown) =>
    unseen.has(key) || (key === 'default' && value === '') ? undefined : value,
  );
}

/** What no page shows, and so tells no two apart. */
const unseen: ReadonlySet<string> = new Set([
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'pattern',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);

/** Every object of a kind but those of pods, and of what has no effect; each before what is in it. */
function* partsOf({ path, schema }: Part): Iterable<Part> {
  for (const [field, each] of Object.entries(schema.properties ?? {})) {
    const inner = withoutLists(each);
    if (inner.properties === undefined || isLeaf(field, inner)) continue;
    const part = { path: `${path}.${field}`, schema: inner };
    yield part;
    yield* partsOf(part);
  }
}

/** Whether there is more to read about what is in a field. */
export function isLeaf(field: string, { properties = {} }: Schema): boolean {
  if (isPodPart(field) || field === 'metadata') return true;
  return Object.values(properties).every(({ description = '' }) => description.endsWith(': no effect.'));
}

function shared(kinds: readonly Kind[]): Book {
  const parts = kinds.flatMap(({ kind, schema }) => [...partsOf({ path: kind, schema })]);
  const places = new Map<string, Part[]>();
  for (const part of parts) {
    const words = wordsOf(part.schema);
    const others = places.get(words);
    if (others === undefined) places.set(words, [part]);
    else others.push(part);
  }
  const taken = new Set<string>();
  const repeated = [...places].filter(([, [, second]]) => second !== undefined);
  // The known names are given first, so that none of them is taken by then.
  repeated.sort(([, a], [, b]) => Number(knownName(a) === undefined) - Number(knownName(b) === undefined));
  return new Map(
    repeated.map(([words, all]) => [words, { name: nameOf(all, taken), schema: all[0]?.schema ?? {} }] as const),
  );
}

/** As the types of the package are called, else by the field; a second one of a name says where it stands. */
function nameOf(parts: readonly Part[], taken: Set<string>): string {
  const named = knownName(parts);
  const path = parts[0]?.path ?? '';
  const words = path.split('.').map(capital);
  const names = words.map((_, index) => words.slice(-1 - index).join(''));
  // Anchors know no capitals.
  const name = [named ?? '', ...names].find((each) => each !== '' && !taken.has(each.toLowerCase())) ?? words.join('');
  taken.add(name.toLowerCase());
  return name;
}

function knownName(parts: readonly Part[]): string | undefined {
  const members = Object.keys(parts[0]?.schema.properties ?? {}).sort();
  return (
    smallShapes[members.join(' ')] ?? parts.map(({ path }) => crdTypeNames[path]).find((name) => name !== undefined)
  );
}

/** Those of any field, by their members. */
const smallShapes: Readonly<Record<string, string>> = {
  'key name optional': 'KeySelector',
  'key operator values': 'LabelSelectorRequirement',
  'lastTransitionTime message observedGeneration reason status type': 'Condition',
  'matchExpressions matchLabels': 'LabelSelector',
};

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const generated = '<!-- Written by `npm run docs` from the texts that `kubectl explain` prints. Do not edit. -->';

function kindPage({ kind, apiVersion, schema }: Kind, book: Book): string {
  const own = [...partsOf({ path: kind, schema })].filter(({ path, schema: part }) =>
    isOwn({ path, schema: part }, book),
  );
  const sections = own.map(({ path, schema: part }) => section(path.slice(kind.length + 1), part, book));
  return `${[generated, `# ${kind}`, `\`${apiVersion}\``, schema.description ?? '', ...sections].join('\n\n')}\n`;
}

/** Told here, and in nothing that is told elsewhere. */
function isOwn({ schema }: Part, book: Book): boolean {
  return !book.has(wordsOf(schema));
}

function section(title: string, schema: Schema, book: Book): string {
  const linkOf = (field: string, inner: Schema): string | undefined => {
    if (inner.properties === undefined || isLeaf(field, inner)) return undefined;
    const type = book.get(wordsOf(inner));
    return type === undefined
      ? `[object](#${headingOf(`${title}.${field}`)})`
      : `[${type.name}](types.md#${headingOf(type.name)})`;
  };
  return `## ${title}\n\n${fieldTable(schema, linkOf)}`;
}

function typesPage(book: Book): string {
  const types = [...book.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const sections = types.map(({ name, schema }) => section(name, schema, book));
  return `${[generated, '# Types', 'What stands in several places.', ...sections].join('\n\n')}\n`;
}

function contentsPage(kinds: readonly Kind[]): string {
  const rows = kinds.map(
    ({ kind, apiVersion, schema }) => `| [${kind}](${kind}.md) | \`${apiVersion}\` | ${schema.description ?? ''} |`,
  );
  const table = ['| kind | API | |', '|---|---|---|', ...rows].join('\n');
  const about =
    'Every field of the kinds that the operator takes, in the words of `kubectl explain`. What parts of pods and claims mean ' +
    '(containers, volumes, affinity …) is told by `kubectl explain pod.spec`.';
  return `${[generated, '# Custom resources', about, table].join('\n\n')}\n`;
}
