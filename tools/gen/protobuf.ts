/**
 * Writes packages/cluster/src/server/http/protobuf/generated/protobuf-messages.ts: which field of which message has which number,
 * read from the struct tags of Kubernetes' Go types. Run by hand when the Kubernetes version changes, with the unpacked
 * modules k8s.io/api, apimachinery, apiextensions-apiserver, kube-aggregator and metrics (`go mod download -json
 * k8s.io/api@v0.34.1` tells where they are), in this order:
 *
 *   node --import tsx tools/gen/protobuf.ts <api> <apimachinery> <apiextensions-apiserver> <kube-aggregator> <metrics>
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const packages: readonly string[] = [
  'admissionregistration/v1',
  'admissionregistration/v1beta1',
  'admissionregistration/v1alpha1',
  'core/v1',
  'apps/v1',
  'batch/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'policy/v1',
  'rbac/v1',
  'networking/v1',
  'storage/v1',
  'scheduling/v1',
  'certificates/v1',
  'coordination/v1',
  'coordination/v1beta1',
  'discovery/v1',
  'events/v1',
  'flowcontrol/v1',
  'node/v1',
  'resource/v1',
  'authentication/v1',
  'authorization/v1',
];
/** Packages of other modules: where in which of them. */
const elsewhere = {
  'meta/v1': { module: 'machinery', folder: 'pkg/apis/meta/v1' },
  'apiextensions/v1': { module: 'extensions', folder: 'pkg/apis/apiextensions/v1' },
  'apiregistration/v1': { module: 'aggregator', folder: 'pkg/apis/apiregistration/v1' },
  'metrics/v1beta1': { module: 'metrics', folder: 'pkg/apis/metrics/v1beta1' },
} as const;

/** What requests and answers hold besides objects. */
const metaMessages: readonly string[] = [
  'DeleteOptions',
  'ListMeta',
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
].map((name) => `meta/v1.${name}`);

interface GoField {
  readonly name: string;
  readonly goType: string;
  readonly json: string;
  readonly protobuf: string;
}

interface GoPackage {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** `type X string`, `type ResourceList map[…]…`. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, string>;
}

/** Types with a form of their own, by package and name. */
const specials: Readonly<Record<string, string>> = {
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'microtime',
  'meta/v1.Duration': 'duration',
  'meta/v1.FieldsV1': 'fields',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intorstring',
  'runtime.RawExtension': 'raw',
  'types.UID': 'string',
  'types.NodeName': 'string',
  'apiextensions/v1.JSON': 'raw',
  'apiextensions/v1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'apiextensions/v1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'apiextensions/v1.JSONSchemaPropsOrStringArray': 'schemaOrStrings',
};

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'int',
  int32: 'int',
  int64: 'int',
  uint8: 'int',
  float64: 'double',
};

function readPackage(folder: string): GoPackage {
  const structs = new Map<string, readonly GoField[]>();
  const aliases = new Map<string, string>();
  const imports = new Map<string, string>();
  const files = readdirSync(folder).filter((file) => file.endsWith('.go') && !/_test\.go$|^zz_|^generated/.test(file));
  for (const file of files) {
    const source = readFileSync(join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, alias, path = ''] of source.matchAll(/^\s+(\w+)?\s*"(k8s\.io\/[^"]+)"$/gm))
      imports.set(alias ?? path.split('/').at(-1) ?? '', shortPackage(path));
    for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
      structs.set(name, [...fieldsOf(body)]);
    for (const [, name = ''] of source.matchAll(/^type (\w+) struct ?\{\}$/gm)) structs.set(name, []);
    for (const [, name = '', type = ''] of source.matchAll(/^type (\w+) (?:= )?([^\s{]+)$/gm)) aliases.set(name, type);
  }
  return { structs, aliases, imports };
}

function* fieldsOf(body: string): Iterable<GoField> {
  for (const line of body.split('\n')) {
    const found = /^\t(?:(\w+)\s+)?([\w.*[\]]+)\s+`(.*)`/.exec(line);
    if (found === null) continue;
    const [, name, goType = '', tags = ''] = found;
    const json = /json:"([^"]*)"/.exec(tags)?.[1];
    const protobuf = /protobuf:"([^"]*)"/.exec(tags)?.[1];
    if (json === undefined || protobuf === undefined || json === '-' || protobuf === '-') continue;
    yield { name: name ?? goType, goType, json, protobuf };
  }
}

function shortPackage(path: string): string {
  return path.replace(/^k8s\.io\/api\//, '').replace(/^k8s\.io\/apimachinery\/pkg\/(apis\/|api\/|util\/)?/, '');
}

type Field = readonly [number: number, name: string, type: string, flags: string];

interface Folders {
  readonly api: string;
  readonly machinery: string;
  readonly extensions: string;
  readonly aggregator: string;
  readonly metrics: string;
}

function generate(folders: Folders): Readonly<Record<string, readonly Field[]>> {
  const known = new Map<string, GoPackage>(packages.map((name) => [name, readPackage(join(folders.api, name))]));
  for (const [name, { module, folder }] of Object.entries(elsewhere))
    known.set(name, readPackage(join(folders[module], folder)));
  const messages: Record<string, readonly Field[]> = {};
  const pending = [...known.keys()].flatMap((name) => rootsOf(name, known)).concat(metaMessages);
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (messages[id] !== undefined) continue;
    const [packageName = '', typeName = ''] = id.split(/\.(?=\w+$)/);
    const struct = known.get(packageName)?.structs.get(typeName);
    if (struct === undefined) throw new Error(`no struct ${id}`);
    const fields = struct.map((field) => fieldOf(field, { packageName, known }));
    messages[id] = fields;
    for (const [, , type] of fields) if (type.includes('.')) pending.push(type.replace(/^items:/, ''));
  }
  return Object.fromEntries(Object.entries(messages).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whatever carries its own kind, except lists: clients never send those. */
function rootsOf(packageName: string, known: ReadonlyMap<string, GoPackage>): readonly string[] {
  const folder = known.get(packageName);
  return [...(folder?.structs.entries() ?? [])]
    .filter(([name, fields]) => !name.endsWith('List') && fields.some(({ json }) => json.startsWith('metadata')))
    .map(([name]) => `${packageName}.${name}`);
}

interface Around {
  readonly packageName: string;
  readonly known: ReadonlyMap<string, GoPackage>;
  readonly isRepeated?: boolean;
}

function fieldOf({ name, goType, json, protobuf }: GoField, around: Around): Field {
  const number = Number(protobuf.split(',')[1]);
  const [jsonName = '', ...options] = json.split(',');
  const inline = options.includes('inline');
  const isRepeated = protobuf.split(',').includes('rep') && !goType.includes('map[');
  const { type, flags } = typeOf(goType, { ...around, isRepeated });
  const isPointer = goType.startsWith('*');
  const isLeftOut = options.includes('omitempty');
  const keepsZero = isPointer || !isLeftOut;
  const written = [
    isPointer && !inline && 'p',
    isPointer && !isLeftOut && !inline && 'e',
    options.includes('omitzero') && 'o',
  ].filter((flag) => flag !== false);
  if (Number.isNaN(number) || (jsonName === '' && !inline)) throw new Error(`odd field ${around.packageName} ${name}`);
  return [number, jsonName, type, `${flags}${inline ? 'n' : ''}${keepsZero ? 'z' : ''}${written.join('')}`];
}

/** Flags: r repeated, m map from string. */
function typeOf(goType: string, around: Around): { readonly type: string; readonly flags: string } {
  if (goType.startsWith('*')) return typeOf(goType.slice(1), around);
  if (goType === '[]byte') return { type: 'bytes', flags: '' };
  if (goType.startsWith('[]')) return { type: typeOf(goType.slice(2), around).type, flags: 'r' };
  const map = /^map\[[\w.]+\](.+)$/.exec(goType);
  if (map !== null) {
    const value = typeOf(map[1] ?? '', around);
    return { type: value.flags === 'r' ? `items:${value.type}` : value.type, flags: 'm' };
  }
  const scalar = scalars[goType];
  return scalar === undefined ? namedType(goType, around) : { type: scalar, flags: '' };
}

function namedType(
  goType: string,
  { packageName, known, isRepeated = false }: Around,
): { readonly type: string; readonly flags: string } {
  const [first = '', second] = goType.split('.');
  const home = second === undefined ? packageName : (known.get(packageName)?.imports.get(first) ?? first);
  const name = second ?? first;
  const special = specials[`${home}.${name}`];
  if (special !== undefined) return { type: special, flags: '' };
  const folder = known.get(home);
  const alias = folder?.aliases.get(name);
  if (alias === undefined) return { type: `${home}.${name}`, flags: '' };
  const resolved = typeOf(alias, { packageName: home, known });
  // A named slice is a message of its own, with the elements in field 1, unless the field says that it repeats.
  if (isRepeated) return resolved;
  return resolved.flags === 'r' ? { type: `items:${resolved.type}`, flags: '' } : resolved;
}

const [api, machinery, apiextensions, aggregator, metrics] = process.argv.slice(2);
if (
  api === undefined ||
  machinery === undefined ||
  apiextensions === undefined ||
  aggregator === undefined ||
  metrics === undefined
)
  throw new Error('name the five module folders');
const messages = generate({ api, machinery, extensions: apiextensions, aggregator, metrics });
const target = 'packages/cluster/src/server/http/protobuf/generated/protobuf-messages.ts';
writeFileSync(
  target,
  `// Generated by tools/gen/protobuf.ts from the struct tags of k8s.io/api (Apache-2.0). Do not edit.

/** Message → fields: number, JSON name, type, flags (r repeated, m map, n inline, z keeps its zero value, p a pointer, e one that is written as null, o left out at its zero). */
export const protobufMessagesJson: string = ${JSON.stringify(JSON.stringify(messages)).replace(/^"|"$/g, "'").replaceAll('\\"', '"')};
`,
);
console.log(`${Object.keys(messages).length} messages`);
