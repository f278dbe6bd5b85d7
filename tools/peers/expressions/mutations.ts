/** Mutating policies, each with its own objects, to one API server: what is said of them, and what they make of an object. */
import { type Told, toldOf } from './plays.ts';
import type { Side } from './sides.ts';

/** One policy of a case; a binding goes with it. */
interface Mutator {
  readonly mutations: readonly object[];
  /** What else its spec says. */
  readonly more?: object;
  readonly paramRef?: object;
}

export interface MutationCase {
  readonly name: string;
  readonly policies: readonly Mutator[];
  /** What becomes of the object is another thing here, as docs/differences.md says. */
  readonly differs?: true;
}

const apply = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const step = (fields: string): object => patch(`[JSONPatch{${fields}}]`);

type Row = readonly [name: string, ...mutations: readonly object[]];
const alone = ([name, ...mutations]: Row): MutationCase => ({ name, policies: [{ mutations }] });

const ignoring = { failurePolicy: 'Ignore' };
const needed = { reinvocationPolicy: 'IfNeeded' };
const withMore =
  (more: object, paramRef?: object) =>
  ([name, ...mutations]: Row): MutationCase => ({
    name,
    policies: [{ mutations, more, ...(paramRef !== undefined && { paramRef }) }],
  });

/** Adds a letter each time that it is asked. */
const counted = (letter: string): object =>
  apply(`Object{data: {"x": (has(object.data.x) ? object.data.x : "") + "${letter}"}}`);

const configurations = (
  [
    ['a value', apply('Object{data: {"x": object.metadata.name}}')],
    ['labels', apply('Object{metadata: Object.metadata{labels: {"n": "m"}}}')],
    ['finalizers', apply('Object{metadata: Object.metadata{finalizers: ["a.b/c"]}}')],
    ['an unknown field', apply('Object{bogus: 1}')],
    ['a value of the wrong type', apply('Object{data: {"x": 1}}')],
    ['a type of another place', apply('Object{metadata: Object.spec{labels: {"n": "m"}}}')],
    ['another version', apply('Object{apiVersion: "v2"}')],
    ['a boolean', apply('Object{immutable: true}')],
    ['a text', apply('"x"')],
    ['a map', apply('{"data": {"x": "y"}}')],
    ['nothing', apply('Object{}')],
    ['no such key', apply('Object{data: {"x": object.data["nope"]}}')],
    ['no expression', { patchType: 'ApplyConfiguration' }],
    ['no end', apply('Object{')],
    ['what there is besides', apply('Object{data: {"x": namespaceObject.metadata.name + request.operation}}')],
  ] satisfies readonly Row[]
).map(alone);

const patches = (
  [
    ['add', step('op: "add", path: "/data/x", value: "y"')],
    ['add a map', step('op: "add", path: "/metadata/annotations", value: {"a": "b"}')],
    ['add a typed map', step('op: "add", path: "/metadata/annotations", value: Object.metadata.annotations{}')],
    [
      'a test that fails',
      patch('[JSONPatch{op: "test", path: "/data/a", value: "no"}, JSONPatch{op: "add", path: "/data/x", value: "y"}]'),
    ],
    ['remove', step('op: "remove", path: "/data/a"')],
    ['remove nothing', step('op: "remove", path: "/data/zz"')],
    ['replace nothing further down', step('op: "replace", path: "/data/zz/y", value: "q"')],
    ['move', step('op: "move", from: "/data/a", path: "/data/b"')],
    ['copy', step('op: "copy", from: "/data/a", path: "/data/b"')],
    ['an unknown step', step('op: "bogus", path: "/data/b", value: "x"')],
    ['an escaped key', step('op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a.b/c~d"), value: "x"')],
    ['a number for a text', step('op: "add", path: "/data/x", value: 1')],
    ['a list for a map', step('op: "add", path: "/data", value: [1]')],
    ['an unknown place', step('op: "add", path: "/bogus", value: 1')],
    [
      'two unknown places',
      patch('[JSONPatch{op: "add", path: "/bogus", value: 1}, JSONPatch{op: "add", path: "/metadata/foo", value: 1}]'),
    ],
    ['no place', step('op: "add", value: 1')],
    ['no list', patch('JSONPatch{op: "add", path: "/data/x", value: "y"}')],
    ['an empty list', patch('[]')],
    ['a choice', patch('has(object.data) ? [JSONPatch{op: "add", path: "/data/x", value: "y"}] : []')],
    ['both', apply('Object{data: {"x": "1"}}'), step('op: "copy", from: "/data/x", path: "/data/y"')],
    ['the second fails', apply('Object{data: {"x": "1"}}'), step('op: "remove", path: "/data/zz"')],
    ['both types at once', { ...apply('Object{}'), ...patch('[]') }],
    ['both types at once, the other way', { ...patch('[]'), ...apply('Object{}') }],
    ['both types, one empty', { ...patch('[]'), applyConfiguration: { expression: '' } }],
    ['the other type', { patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } }],
    ['no type', { jsonPatch: { expression: '[]' } }],
    ['an unknown type', { patchType: 'Merge', jsonPatch: { expression: '[]' } }],
  ] satisfies readonly Row[]
).map(alone);

const different = (
  [
    ['another name', apply('Object{metadata: Object.metadata{name: "other"}}')],
    ['another name by a patch', step('op: "replace", path: "/metadata/name", value: "y"')],
    ['replace nothing', step('op: "replace", path: "/data/zz", value: "q"')],
  ] satisfies readonly Row[]
).map((row): MutationCase => ({ ...alone(row), differs: true }));

const broken = apply('Object{');
/** What is wrong with the form of a policy is told together with what is wrong with its expressions. */
const hurt: readonly MutationCase[] = (
  [
    ['no reinvocation', { reinvocationPolicy: '' }],
    ['no failure policy that there is', { failurePolicy: 'Bogus' }],
    ['conditions without anything', { matchConditions: [{}] }],
    ['a condition without a name', { matchConditions: [{ expression: 'nope' }] }],
    [
      'two conditions of one name',
      { matchConditions: ['nope', 'true'].map((expression) => ({ name: 'c', expression })) },
    ],
    ['variables without anything', { variables: [{}] }],
    ['a variable without an expression', { variables: [{ name: 'v' }] }],
    ['a variable of a wrong name', { variables: [{ name: '1v', expression: 'nope' }] }],
    ['a blank variable', { variables: [{ name: 'v', expression: ' ' }] }],
    ['params of no kind', { paramKind: {} }],
    ['nothing to match', { matchConstraints: {} }],
    ['mutations without anything', { mutations: [{}] }],
    ['no mutations', { mutations: [], variables: [{ name: 'v', expression: 'nope' }] }],
    ['a blank expression', { mutations: [apply(' ')] }],
  ] as const
).map(([name, more]) => withMore(more)([name, broken]));

const faults: readonly MutationCase[] = [
  ...(
    [
      ['no such key', apply('Object{data: {"x": object.data["nope"]}}')],
      ['remove nothing', step('op: "remove", path: "/data/zz"')],
      ['an unknown place', step('op: "add", path: "/bogus", value: 1')],
      ['a number for a text', step('op: "add", path: "/data/x", value: 1')],
      ['the second fails', apply('Object{data: {"x": "1"}}'), step('op: "remove", path: "/data/zz"')],
    ] satisfies readonly Row[]
  )
    .map(withMore(ignoring))
    .map(({ name, ...rest }) => ({ name: `ignored: ${name}`, ...rest })),
  {
    name: 'an unknown place, then another fault',
    policies: [
      { mutations: [step('op: "add", path: "/bogus", value: 1')] },
      { mutations: [step('op: "remove", path: "/data/zz"')] },
    ],
  },
  {
    name: 'a fault, then an unknown place',
    policies: [
      { mutations: [step('op: "remove", path: "/data/zz"')] },
      { mutations: [step('op: "add", path: "/bogus", value: 1')] },
    ],
  },
];

const v = { name: 'v', expression: 'object.metadata.name + "!"' };
const w = { name: 'w', expression: 'variables.v + "?"' };
const uses = (name: string): object => apply(`Object{data: {"x": variables.${name}}}`);

const variables: readonly MutationCase[] = [
  withMore({ variables: [v, w] })(['variables', apply('Object{data: {"x": variables.v, "y": variables.w}}')]),
  withMore({ variables: [v] })(['an unknown variable', uses('nope')]),
  withMore({ variables: [w, v] })(['a variable before it is there', uses('w')]),
  withMore({ variables: [{ name: 'v', expression: 'object.data.nope' }] })(['a variable that fails', uses('v')]),
  alone(['a variable where there is none', uses('nope')]),
  alone(['variables as a whole, where there is none', apply('Object{data: {"x": string(variables)}}')]),
  withMore({ variables: [{ name: 'v', expression: 'variables.nope' }] })(['a variable of no other', uses('v')]),
  ...['object.data.a == "zz"', 'object.data.nope == "zz"', 'variables.v == "x"', '"x"'].map((expression) =>
    withMore({ variables: [v], matchConditions: [{ name: 'c', expression }] })([
      `a condition: ${expression}`,
      apply('Object{data: {"x": "1"}}'),
    ]),
  ),
  withMore({ matchConditions: [{ name: 'c', expression: 'variables.v == "x"' }] })([
    'a condition on a variable where there is none',
    apply('Object{}'),
  ]),
];

const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const absent = { name: 'nope', namespace: 'default' };
const value = apply('Object{data: {"x": params.data.k}}');
const parameters: readonly MutationCase[] = [
  withMore({ paramKind }, { name: 'par', namespace: 'default', parameterNotFoundAction: 'Deny' })(['params', value]),
  withMore({ paramKind }, { ...absent, parameterNotFoundAction: 'Deny' })(['no params', value]),
  withMore({ paramKind }, { ...absent, parameterNotFoundAction: 'Allow' })(['no params, which is well', value]),
  withMore({ paramKind })(['nobody names params', apply('Object{data: {"x": string(params == null)}}')]),
  withMore(
    { paramKind },
    { selector: { matchLabels: { par: 'y' } }, parameterNotFoundAction: 'Deny' },
  )(['each of the params', apply('Object{data: {"x" + params.data.k: params.data.k}}')]),
  alone(['params that nobody declares', value]),
];

type Turn = readonly [mutations: readonly object[], more: object];
const same = apply('Object{data: {"a": "1"}}');
const rounds: readonly (readonly [name: string, ...turns: readonly Turn[]])[] = [
  ['never again', [[counted('a')], {}]],
  ['again, alone', [[counted('a')], needed]],
  ['again, by itself twice', [[counted('a'), counted('b')], needed]],
  ['again, with nothing new', [[apply('Object{data: {"x": "1"}}')], needed]],
  ['again, then never', [[counted('a')], needed], [[counted('b')], {}]],
  ['never, then again', [[counted('a')], {}], [[counted('b')], needed]],
  ['both again', [[counted('a')], needed], [[counted('b')], needed]],
  ['both again, the second with nothing new', [[counted('a')], needed], [[same], needed]],
  ['again, then nothing new', [[counted('a')], needed], [[same], {}]],
  ['three', [[counted('a')], needed], [[counted('b')], needed], [[counted('c')], needed]],
];
const turns = rounds.map(
  ([name, ...policies]): MutationCase => ({
    name,
    policies: policies.map(([mutations, more]) => ({ mutations, more })),
  }),
);

export const mutationCases: readonly MutationCase[] = [
  ...configurations,
  ...patches,
  ...different,
  ...hurt,
  ...faults,
  ...variables,
  ...parameters,
  ...turns,
];

/** What is said of the policies of one case, and what becomes of an object of theirs. */
export interface Mutated {
  readonly policies: readonly Told[];
  /** Undefined where a policy is refused. */
  readonly object: Told | object | undefined;
}

const group = '/apis/admissionregistration.k8s.io/v1beta1';
const configmaps = '/api/v1/namespaces/default/configmaps';
const resourceRules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
];

export async function playMutations(side: Side, cases: readonly MutationCase[]): Promise<readonly Mutated[]> {
  for (const [name, k] of [
    ['par', '1'],
    ['par2', '2'],
  ] as const)
    await side.ask('POST', configmaps, { metadata: { name, labels: { par: 'y' } }, data: { k } });
  const told: Told[][] = [];
  for (const [index, { policies }] of cases.entries()) {
    const own: Told[] = [];
    for (const [order, policy] of policies.entries()) own.push(await bind(side, `m${index}-${order}`, policy));
    told.push(own);
  }
  await side.hears(8_000);
  const mutated: Mutated[] = [];
  for (const [index, policies] of told.entries()) {
    const isWhole = policies.every(({ code }) => code === 201);
    mutated.push({ policies, object: isWhole ? await made(side, `m${index}`) : undefined });
  }
  return mutated;
}

/** What is wrong with a JSON patch is told in words of our own, as docs/differences.md says. */
function withoutWordsOfLibraries({ issues, ...told }: Told): Told {
  return { ...told, issues: issues.map((issue) => issue.replace(/(?<=: JSON Patch: ).*/s, '…')) };
}

/** Each case has a label of its own, so that all can be there at once. */
async function bind(side: Side, name: string, { mutations, more, paramRef }: Mutator): Promise<Told> {
  const [label = ''] = name.split('-');
  const matchConstraints = { objectSelector: { matchLabels: { case: label } }, resourceRules };
  const spec = { failurePolicy: 'Fail', reinvocationPolicy: 'Never', matchConstraints, mutations, ...more };
  const said = toldOf(await side.ask('POST', `${group}/mutatingadmissionpolicies`, { metadata: { name }, spec }));
  const binding = { policyName: name, ...(paramRef !== undefined && { paramRef }) };
  await side.ask('POST', `${group}/mutatingadmissionpolicybindings`, { metadata: { name }, spec: binding });
  return said;
}

async function made(side: Side, name: string): Promise<Told | object> {
  const metadata = { name, labels: { case: name } };
  const said = await side.ask('POST', `${configmaps}?dryRun=All`, { metadata, data: { a: '1' } });
  if (said.code !== 201) return withoutWordsOfLibraries(toldOf(said));
  const { metadata: kept, ...rest } = said.object as { readonly metadata: Readonly<Record<string, unknown>> };
  const { labels, annotations, finalizers } = kept;
  const made = { ...rest, name: kept['name'], labels, annotations, finalizers, warnings: said.warnings };
  // Upstream asks its policies in no order.
  return JSON.parse(
    JSON.stringify(made).replace(/(?<="x":")[abc]+(?=")/, (letters) => letters.split('').sort().join('')),
  );
}
