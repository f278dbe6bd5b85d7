import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type AskOptions, type ServedCluster, startServedCluster } from './served-cluster.ts';

let served: ServedCluster;

const maps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';
const pods = '/api/v1/namespaces/default/pods';
const daemonsets = '/apis/apps/v1/namespaces/default/daemonsets';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const services = '/api/v1/namespaces/default/services';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'a', image: 'b' }] },
};
const selector = { matchLabels: { app: 'x' } };
type Body = string | Buffer | object;
const post = (body: Body): AskOptions => ({ method: 'POST', body });
const put = (body: Body): AskOptions => ({ method: 'PUT', body });
const patch = (type: string, body: Body): AskOptions => ({
  method: 'PATCH',
  body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  headers: { 'content-type': `application/${type}` },
});
const json = (body: unknown): AskOptions => patch('json-patch+json', body as object);
const merge = (body: unknown): AskOptions => patch('merge-patch+json', body as object);
const strategic = (body: unknown): AskOptions => patch('strategic-merge-patch+json', body as object);
const map = (metadata: object, more: object = {}): AskOptions => post({ metadata, ...more });
const pod = (container: object, spec: object = {}): AskOptions =>
  post({ metadata: { name: 'bad' }, spec: { containers: [{ name: 'a', image: 'b', ...container }], ...spec } });
const widget = (spec: unknown, more: object = {}): AskOptions =>
  post({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'bad' }, spec, ...more });
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

const crd = (change: {
  readonly name?: string;
  readonly spec?: object;
  readonly version?: object;
  readonly schema?: object;
}): AskOptions => {
  const schema = { type: 'object', properties: { spec: { type: 'object', ...change.schema } } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...change.version };
  return post({
    metadata: { name: change.name ?? 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget', listKind: 'GadgetList' },
      versions: [version],
      ...change.spec,
    },
  });
};

/** code, reason, and what the message or the field of a cause must be. */
type Row = readonly [what: string, path: string, options: AskOptions, code: number, reason: string, says: string];

beforeAll(async () => {
  served = await startServedCluster({ nodes: 0 });
  const { ask } = served;
  await ask(maps, post({ metadata: { name: 'kept' }, data: { a: '1' } }));
  await ask(secrets, post({ metadata: { name: 'fixed' }, immutable: true, type: 'Opaque', data: { a: 'MQ==' } }));
  await ask(daemonsets, post({ metadata: { name: 'kept' }, spec: { selector, template } }));
  const made = await ask(crds, {
    ...crd({
      name: 'widgets.example.com',
      spec: { names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' } },
      schema: { required: ['size'], properties: { size: { type: 'integer', maximum: 9 } } },
    }),
  });
  expect(made.code).toBe(201);
});

afterAll(async () => {
  const { problems } = served;
  await served.close();
  expect(problems).toEqual([]);
});

async function everything(): Promise<string> {
  const answers = await Promise.all(
    [maps, secrets, pods, daemonsets, deployments, services, crds, widgets, '/api/v1/nodes', '/api/v1/namespaces'].map(
      (path) => served.ask(path),
    ),
  );
  return JSON.stringify(answers.map(({ body }) => body?.['items']));
}

function holdsTo(answer: Answer, [, , , code, reason, says]: Row): void {
  const { body } = answer;
  const details = (body?.['details'] ?? {}) as { readonly causes?: readonly { readonly field?: string }[] };
  expect({ code: answer.code, reason: body?.['reason'], kind: body?.['kind'], status: body?.['status'] }).toEqual({
    code,
    reason,
    kind: 'Status',
    status: 'Failure',
  });
  const fields = (details.causes ?? []).map(({ field }) => field);
  if (!fields.includes(says)) expect(String(body?.['message'])).toContain(says);
}

function refuses(rows: readonly Row[]): void {
  test('each with its code, its reason and where it is wrong, and nothing changes', async () => {
    const before = await everything();
    const wrong: string[] = [];
    for (const row of rows) {
      const [what, path, options] = row;
      const answer = await served.ask(path, options);
      try {
        holdsTo(answer, row);
      } catch {
        const { message, reason, details } = (answer.body ?? {}) as Record<string, unknown>;
        wrong.push(`${what}: ${answer.code} ${String(reason)} ${String(message)} ${JSON.stringify(details)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await everything()).toBe(before);
  });
}

const list = (query: string, path = maps): readonly [string, AskOptions] => [`${path}?${query}`, {}];

describe('paths and methods', () => {
  refuses([
    ['unknown path', '/nothing/here', {}, 404, 'NotFound', 'could not find the requested resource'],
    ['unknown group', '/apis/nope.example/v1/things', {}, 404, 'NotFound', 'could not find the requested resource'],
    ['unknown resource', '/api/v1/namespaces/default/things', {}, 404, 'NotFound', 'could not find'],
    ['missing object', `${maps}/none`, {}, 404, 'NotFound', 'configmaps "none" not found'],
    ['POST on an object', `${maps}/kept`, post({}), 405, 'MethodNotAllowed', ''],
    ['POST on all namespaces', '/api/v1/configmaps', post({ metadata: { name: 'bad' } }), 405, 'MethodNotAllowed', ''],
    ['DELETE in all namespaces', '/api/v1/configmaps', { method: 'DELETE' }, 405, 'MethodNotAllowed', ''],
    ['PUT on a collection', maps, put({}), 405, 'MethodNotAllowed', ''],
    ['dot segments', '/api/v1/namespaces/%2e%2e/configmaps', {}, 400, 'BadRequest', ''],
    ['an empty body', maps, post(''), 400, 'BadRequest', ''],
    ['a text', maps, { ...post('x'), headers: { 'content-type': 'text/plain' } }, 415, 'UnsupportedMediaType', ''],
    ['HTML wanted', maps, { headers: { accept: 'text/html' } }, 406, 'NotAcceptable', ''],
    ['a table of a strange version', maps, tableOf('v7'), 406, 'NotAcceptable', ''],
    [
      'a large body',
      maps,
      post(`{"metadata":{"name":"${'x'.repeat(3_200_000)}"}}`),
      413,
      'RequestEntityTooLarge',
      'limit is 3145728',
    ],
    ['a cluster-scoped kind in a namespace', '/api/v1/namespaces/default/nodes', {}, 404, 'NotFound', ''],
    ['another kind through a longer name', '/apis/example.com/v1/widgetsx', {}, 404, 'NotFound', ''],
    [
      'a missing namespace',
      '/api/v1/namespaces/none/configmaps',
      map({ name: 'bad' }),
      404,
      'NotFound',
      'namespaces "none" not found',
    ],
  ]);
});

function tableOf(version: string): AskOptions {
  return { headers: { accept: `application/json;as=Table;v=${version};g=meta.k8s.io` } };
}

describe('queries', () => {
  refuses([
    ['limit', ...list('limit=abc'), 400, 'BadRequest', ''],
    ['timeoutSeconds', ...list('watch=1&timeoutSeconds=soon'), 400, 'BadRequest', ''],
    ['timeout=maybe', ...list('timeout=maybe'), 400, 'BadRequest', 'invalid timeout specified in the request URL'],
    ['a version that is no number, list', ...list('resourceVersion=abc'), 400, 'BadRequest', 'nvalid resource version'],
    ['a version that is no number, watch', ...list('watch=1&resourceVersion=abc'), 422, 'Invalid', 'resourceVersion'],
    ['a version beyond 64 bits', ...list('resourceVersion=18446744073709551616'), 400, 'BadRequest', ''],
    ['a broken continue', ...list('continue=%25%25%25'), 400, 'BadRequest', 'continue key is not valid'],
    [
      'continue out of the folder',
      ...list(`continue=${token({ v: 'meta.k8s.io/v1', rv: 2, start: '../../secrets' })}`),
      400,
      'BadRequest',
      'continue key is not valid',
    ],
    [
      'continue at 0',
      ...list(`continue=${token({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' })}`),
      400,
      'BadRequest',
      'continue key is not valid',
    ],
    ['a match without a version', ...list('resourceVersionMatch=Exact'), 422, 'Invalid', 'resourceVersionMatch'],
    ['exactly 0', ...list('resourceVersionMatch=Exact&resourceVersion=0'), 422, 'Invalid', 'resourceVersionMatch'],
    ['initial events of a list', ...list('sendInitialEvents=true'), 422, 'Invalid', 'sendInitialEvents'],
    [
      'initial events without a match',
      ...list('watch=1&sendInitialEvents=true'),
      422,
      'Invalid',
      'resourceVersionMatch',
    ],
    ['dryRun', `${maps}?dryRun=Some`, map({ name: 'bad' }), 422, 'Invalid', 'dryRun'],
    ['fieldValidation', `${maps}?fieldValidation=Nope`, map({ name: 'bad' }), 422, 'Invalid', 'fieldValidation'],
    [
      'a long fieldManager',
      `${maps}?fieldManager=${'m'.repeat(129)}`,
      map({ name: 'bad' }),
      422,
      'Invalid',
      'fieldManager',
    ],
    ['an unprintable fieldManager', `${maps}?fieldManager=a%07b`, map({ name: 'bad' }), 422, 'Invalid', 'fieldManager'],
    [
      'two kinds of propagation',
      `${maps}/kept?propagationPolicy=Orphan&orphanDependents=true`,
      { method: 'DELETE' },
      422,
      'Invalid',
      'propagationPolicy',
    ],
    [
      'an unknown propagation',
      `${maps}/kept?propagationPolicy=Sideways`,
      { method: 'DELETE' },
      422,
      'Invalid',
      'propagationPolicy',
    ],
    ['a set without an end', ...list('labelSelector=a%20in%20('), 400, 'BadRequest', ''],
    ['a double comma', ...list('labelSelector=a%3Db,,c'), 400, 'BadRequest', ''],
    ['a lone !', ...list('labelSelector=!'), 400, 'BadRequest', ''],
    ['greater than a word', ...list('labelSelector=a%3Ex'), 400, 'BadRequest', ''],
    [
      'an unknown field',
      ...list('fieldSelector=data.a%3D1'),
      400,
      'BadRequest',
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ]);
});

function token(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Nine levels of nine references each. */
function bomb(): string {
  const levels = 'abcdefghi'.split('').map((name, index, all) => {
    const items = Array.from({ length: 9 }, () => (index === 0 ? 'lol' : `*${all[index - 1] ?? ''}`));
    return `${name}: &${name} [${items.join(',')}]`;
  });
  return `metadata: {name: bad}\n${levels.join('\n')}\n`;
}

describe('JSON and YAML', () => {
  const yaml = (text: string): AskOptions => ({ ...post(text), headers: { 'content-type': 'application/yaml' } });
  const raw = (rest: string): AskOptions => post(`{"metadata":{"name":"bad"}${rest}`);
  refuses([
    ['cut off', maps, post('{"metadata":'), 400, 'BadRequest', ''],
    ['a million brackets', maps, post('['.repeat(1_000_000)), 400, 'BadRequest', ''],
    [
      'a key twice',
      `${maps}?fieldValidation=Strict`,
      raw(',"data":{"a":"1","a":"2"}}'),
      400,
      'BadRequest',
      'duplicate field "data.a"',
    ],
    [
      'an unknown field',
      `${maps}?fieldValidation=Strict`,
      raw(',"daata":{}}'),
      400,
      'BadRequest',
      'strict decoding error: unknown field "daata"',
    ],
    [
      'an unknown field, deep',
      `${deployments}?fieldValidation=Strict`,
      post({ metadata: { name: 'bad' }, spec: { selector, template: { ...template, specs: {} } } }),
      400,
      'BadRequest',
      'unknown field "spec.template.specs"',
    ],
    ['too large a number', maps, raw(',"data":{"a":1e400}}'), 400, 'BadRequest', ''],
    ['a wrong type', maps, raw(',"data":[]}'), 400, 'BadRequest', ''],
    [
      'a wrong type, deep',
      deployments,
      post({ metadata: { name: 'bad' }, spec: { replicas: 'two', selector, template } }),
      400,
      'BadRequest',
      'spec.replicas',
    ],
    [
      'no UTF-8',
      maps,
      post(Buffer.from([...Buffer.from('{"metadata":{"name":"'), 0xff, ...Buffer.from('"}}')])),
      400,
      'BadRequest',
      '',
    ],
    ['a byte order mark', maps, post(`\uFEFF{"metadata":{"name":"bad"}}`), 400, 'BadRequest', ''],
    ['something behind the end', maps, raw('} x'), 400, 'BadRequest', ''],
    [
      'another kind',
      maps,
      raw(',"kind":"Secret","apiVersion":"v1"}'),
      400,
      'BadRequest',
      'Secret in version "v1" cannot be handled as a ConfigMap',
    ],
    [
      'another version',
      maps,
      raw(',"kind":"ConfigMap","apiVersion":"v9"}'),
      400,
      'BadRequest',
      'does not match the expected API version',
    ],
    [
      'another name',
      `${maps}/kept`,
      put({ metadata: { name: 'other' } }),
      400,
      'BadRequest',
      'does not match the name on the URL',
    ],
    [
      'another namespace',
      maps,
      map({ name: 'bad', namespace: 'kube-system' }),
      400,
      'BadRequest',
      'does not match the namespace sent on the request',
    ],
    ['no metadata', maps, post('{"metadata":null}'), 422, 'Invalid', 'name or generateName is required'],
    ['a prototype', `${maps}?fieldValidation=Strict`, raw(',"__proto__":{"x":1}}'), 400, 'BadRequest', '__proto__'],
    ['laughs, a billion', maps, yaml(bomb()), 400, 'BadRequest', ''],
    ['brackets, as YAML', maps, yaml('['.repeat(200_000)), 413, 'RequestEntityTooLarge', ''],
    [
      'a key twice, as YAML',
      `${maps}?fieldValidation=Strict`,
      yaml('metadata: {name: bad}\ndata: {}\ndata: {}\n'),
      400,
      'BadRequest',
      'line 3: key "data" already set in map',
    ],
    ['two documents', maps, yaml('metadata: {name: bad}\n---\nmetadata: {name: worse}\n'), 400, 'BadRequest', ''],
    ['a tag', maps, yaml('metadata: !!js/function bad\n'), 400, 'BadRequest', ''],
    ['a tab', maps, yaml('metadata:\n\tname: bad\n'), 400, 'BadRequest', ''],
  ]);
});

describe('names, labels, owners', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kept', uid: 'u', controller: true };
  const named = (name: string): Row => [
    `name ${name.slice(0, 20)}`,
    maps,
    map({ name }),
    422,
    'Invalid',
    'metadata.name',
  ];
  refuses([
    ...['Foo', 'a'.repeat(254), '-a', 'a-', 'a..b', '..', 'a/b', 'a%b', 'аpple'].map(named),
    ['no name', maps, map({}), 422, 'Invalid', 'name or generateName is required'],
    [
      'a long label value',
      maps,
      map({ name: 'bad', labels: { a: 'x'.repeat(64) } }),
      422,
      'Invalid',
      'metadata.labels',
    ],
    ['two slashes in a label', maps, map({ name: 'bad', labels: { 'a/b/c': 'x' } }), 422, 'Invalid', 'metadata.labels'],
    [
      'large annotations',
      maps,
      map({ name: 'bad', annotations: { a: 'x'.repeat(262_200) } }),
      422,
      'Invalid',
      'metadata.annotations',
    ],
    [
      'a finalizer without a domain',
      maps,
      map({ name: 'bad', finalizers: ['hold'] }),
      422,
      'Invalid',
      'metadata.finalizers',
    ],
    [
      'an owner without a uid',
      maps,
      map({ name: 'bad', ownerReferences: [{ ...owner, uid: '' }] }),
      422,
      'Invalid',
      'metadata.ownerReferences',
    ],
    [
      'two controllers',
      maps,
      map({ name: 'bad', ownerReferences: [owner, { ...owner, uid: 'v', name: 'w' }] }),
      422,
      'Invalid',
      'metadata.ownerReferences',
    ],
    ['a name that exists', maps, map({ name: 'kept' }), 409, 'AlreadyExists', 'configmaps "kept" already exists'],
    [
      'a version at creation',
      maps,
      map({ name: 'bad', resourceVersion: '5' }),
      400,
      'BadRequest',
      'resourceVersion should not be set on objects to be created',
    ],
  ]);
});

describe('workloads', () => {
  const ds = (spec: object): AskOptions => post({ metadata: { name: 'bad' }, spec });
  refuses([
    [
      'a selector beside the template',
      daemonsets,
      ds({ selector: { matchLabels: { app: 'y' } }, template }),
      422,
      'Invalid',
      'spec.template.metadata.labels',
    ],
    ['an empty selector', daemonsets, ds({ selector: {}, template }), 422, 'Invalid', 'spec.selector'],
    [
      'another selector',
      `${daemonsets}/kept`,
      merge({ spec: { selector: { matchLabels: { app: 'z' } }, template: { metadata: { labels: { app: 'z' } } } } }),
      422,
      'Invalid',
      'spec.selector',
    ],
    [
      'restartPolicy Never',
      daemonsets,
      ds({ selector, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }),
      422,
      'Invalid',
      'spec.template.spec.restartPolicy',
    ],
    [
      'no containers',
      daemonsets,
      ds({ selector, template: { metadata: template.metadata, spec: { containers: [] } } }),
      422,
      'Invalid',
      'spec.template.spec.containers',
    ],
    [
      '101%',
      daemonsets,
      ds({ selector, template, updateStrategy: { rollingUpdate: { maxUnavailable: '101%' } } }),
      422,
      'Invalid',
      'spec.updateStrategy.rollingUpdate.maxUnavailable',
    ],
    [
      '5.5%',
      daemonsets,
      ds({ selector, template, updateStrategy: { rollingUpdate: { maxUnavailable: '5.5%' } } }),
      422,
      'Invalid',
      'spec.updateStrategy.rollingUpdate.maxUnavailable',
    ],
    ['negative replicas', deployments, ds({ replicas: -1, selector, template }), 422, 'Invalid', 'spec.replicas'],
    [
      'replicas beyond 32 bits',
      deployments,
      ds({ replicas: 2 ** 31, selector, template }),
      400,
      'BadRequest',
      'spec.replicas',
    ],
    [
      'an invalid quantity',
      pods,
      pod({ resources: { requests: { cpu: '1Kii' } } }),
      400,
      'BadRequest',
      'quantities must match the regular expression',
    ],
    [
      'a space in a quantity',
      pods,
      pod({ resources: { requests: { memory: '1 Gi' } } }),
      400,
      'BadRequest',
      'quantities must match the regular expression',
    ],
    [
      'a quantity of many digits',
      pods,
      pod({ resources: { requests: { cpu: `${'9'.repeat(10_000)}x` } } }),
      400,
      'BadRequest',
      'quantities must match the regular expression',
    ],
    [
      'a negative quantity',
      pods,
      pod({ resources: { requests: { cpu: '-1' } } }),
      422,
      'Invalid',
      'spec.containers[0].resources.requests[cpu]',
    ],
    [
      'less than requested',
      pods,
      pod({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      422,
      'Invalid',
      'spec.containers[0].resources.requests',
    ],
    [
      'port 0',
      pods,
      pod({ ports: [{ containerPort: 0 }] }),
      422,
      'Invalid',
      'spec.containers[0].ports[0].containerPort',
    ],
    [
      'port 65536',
      pods,
      pod({ ports: [{ containerPort: 65536 }] }),
      422,
      'Invalid',
      'spec.containers[0].ports[0].containerPort',
    ],
    [
      'a service port',
      services,
      post({ metadata: { name: 'bad' }, spec: { ports: [{ port: 0 }] } }),
      422,
      'Invalid',
      'spec.ports[0].port',
    ],
    [
      'two containers of one name',
      pods,
      pod(
        {},
        {
          containers: [
            { name: 'a', image: 'b' },
            { name: 'a', image: 'b' },
          ],
        },
      ),
      422,
      'Invalid',
      'spec.containers[1].name',
    ],
    [
      'a missing volume',
      pods,
      pod({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      422,
      'Invalid',
      'spec.containers[0].volumeMounts[0].name',
    ],
    [
      'a missing priority class',
      pods,
      pod({}, { priorityClassName: 'none' }),
      403,
      'Forbidden',
      'no PriorityClass with name none was found',
    ],
  ]);
});

describe('patches and updates', () => {
  const kept = `${maps}/kept`;
  refuses([
    [
      'ten thousand and one operations',
      kept,
      json(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }))),
      413,
      'RequestEntityTooLarge',
      '10000',
    ],
    [
      'copies that double',
      kept,
      json([
        { op: 'add', path: '/data/x', value: 'x'.repeat(100_000) },
        ...Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '/data/x', path: `/data/c${index}` })),
      ]),
      422,
      'Invalid',
      '',
    ],
    ['a test that fails', kept, json([{ op: 'test', path: '/data/a', value: '2' }]), 422, 'Invalid', ''],
    ['the prototype', kept, json([{ op: 'add', path: '/__proto__/x', value: 1 }]), 422, 'Invalid', ''],
    ['the constructor', kept, json([{ op: 'add', path: '/constructor/prototype/x', value: 1 }]), 422, 'Invalid', ''],
    [
      'index -1',
      kept,
      json([
        { op: 'add', path: '/metadata/finalizers', value: [] },
        { op: 'add', path: '/metadata/finalizers/-1', value: 'a/b' },
      ]),
      422,
      'Invalid',
      '',
    ],
    [
      'index 01',
      kept,
      json([
        { op: 'add', path: '/metadata/finalizers', value: ['a/b'] },
        { op: 'replace', path: '/metadata/finalizers/01', value: 'a/c' },
      ]),
      422,
      'Invalid',
      '',
    ],
    ['an unknown operation', kept, json([{ op: 'grow', path: '/data' }]), 422, 'Invalid', 'grow'],
    ['no list of operations', kept, json({ data: {} }), 400, 'BadRequest', ''],
    ['a merge with a list', kept, merge('[]'), 400, 'BadRequest', ''],
    ['a merge with null', kept, merge('null'), 400, 'BadRequest', ''],
    [
      'a strategic merge of a custom resource',
      `${widgets}/none`,
      strategic({ spec: {} }),
      415,
      'UnsupportedMediaType',
      '',
    ],
    ['an unknown directive', kept, strategic({ data: { $patch: 'bogus' } }), 400, 'BadRequest', ''],
    ['another uid', kept, merge({ metadata: { uid: 'other' } }), 409, 'Conflict', 'UID in precondition'],
    ['another name', kept, merge({ metadata: { name: 'other' } }), 400, 'BadRequest', 'name'],
    [
      'an old version',
      kept,
      merge({ metadata: { resourceVersion: '1' }, data: { a: '2' } }),
      409,
      'Conflict',
      'the object has been modified',
    ],
    [
      'an update of an old version',
      kept,
      put({ metadata: { name: 'kept', resourceVersion: '1' } }),
      409,
      'Conflict',
      'the object has been modified',
    ],
    ['an update of what is not there', `${maps}/none`, put({ metadata: { name: 'none' } }), 404, 'NotFound', ''],
    [
      'an update that needs a version',
      `${crds}/widgets.example.com`,
      put({ metadata: { name: 'widgets.example.com' } }),
      422,
      'Invalid',
      'must be specified for an update',
    ],
  ]);
});

describe('custom resources and their definitions', () => {
  refuses([
    ['a value of the wrong type', widgets, widget({ size: 'x' }), 422, 'Invalid', 'spec.size'],
    ['a value beyond its limit', widgets, widget({ size: 10 }), 422, 'Invalid', 'spec.size'],
    ['a missing value', widgets, widget({}), 422, 'Invalid', 'spec.size'],
    [
      'an unknown field',
      `${widgets}?fieldValidation=Strict`,
      widget({ size: 1, foo: 1 }),
      400,
      'BadRequest',
      'unknown field "spec.foo"',
    ],
    ['another name than its names', crds, crd({ name: 'others.example.com' }), 422, 'Invalid', 'metadata.name'],
    [
      'a group without a dot',
      crds,
      crd({ name: 'gadgets.example', spec: { group: 'example' } }),
      422,
      'Invalid',
      'spec.group',
    ],
    ['nothing stored', crds, crd({ version: { storage: false } }), 422, 'Invalid', 'spec.versions'],
    ['no schema', crds, crd({ version: { schema: undefined } }), 422, 'Invalid', 'schemas are required'],
    ['a reference', crds, crd({ schema: { $ref: '#/x' } }), 422, 'Invalid', '$ref'],
    ['definitions', crds, crd({ schema: { definitions: { a: { type: 'string' } } } }), 422, 'Invalid', 'definitions'],
    [
      'unique items',
      crds,
      crd({ schema: { properties: { a: { type: 'array', items: { type: 'string' }, uniqueItems: true } } } }),
      422,
      'Invalid',
      'uniqueItems',
    ],
    ['no type', crds, crd({ schema: { properties: { a: {} } } }), 422, 'Invalid', 'type'],
    [
      'a map without keys',
      crds,
      crd({
        schema: { properties: { a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' } } },
      }),
      422,
      'Invalid',
      'x-kubernetes-list-map-keys',
    ],
    [
      'a default of the wrong type',
      crds,
      crd({ schema: { properties: { a: { type: 'integer', default: 'x' } } } }),
      422,
      'Invalid',
      'default',
    ],
    [
      'a broken pattern',
      crds,
      crd({ schema: { properties: { a: { type: 'string', pattern: '(' } } } }),
      422,
      'Invalid',
      'pattern',
    ],
    [
      'a scale path elsewhere',
      crds,
      crd({ version: { subresources: { scale: { specReplicasPath: '.foo', statusReplicasPath: '.status.n' } } } }),
      422,
      'Invalid',
      'specReplicasPath',
    ],
  ]);
});

describe('secrets', () => {
  const secret = (data: object): AskOptions => post({ metadata: { name: 'bad' }, data });
  refuses([
    ['no base64', secrets, secret({ a: '*' }), 400, 'BadRequest', ''],
    ...['..', '../x', '..data', 'a/b', 'k'.repeat(254)].map(
      (key): Row => [`key ${key.slice(0, 9)}`, secrets, secret({ [key]: 'MQ==' }), 422, 'Invalid', `data[${key}]`],
    ),
    [
      'more than a mebibyte',
      secrets,
      secret({ a: Buffer.alloc(1_048_577).toString('base64') }),
      422,
      'Invalid',
      'data',
    ],
    ['a change of what is fixed', `${secrets}/fixed`, merge({ data: { a: 'Mg==' } }), 422, 'Invalid', 'data'],
    ['another type', `${secrets}/fixed`, merge({ type: 'other' }), 422, 'Invalid', 'type'],
  ]);
});

test('the rest of a list cannot be asked for at another version', async () => {
  const { body } = await served.ask('/api/v1/namespaces?limit=1');
  const { continue: rest = '' } = (body?.['metadata'] ?? {}) as { readonly continue?: string };
  expect(rest).not.toBe('');
  const query = new URLSearchParams({ continue: rest, resourceVersion: '5' });
  expect(await served.ask(`/api/v1/namespaces?${query.toString()}`)).toMatchObject({
    code: 400,
    body: { message: expect.stringContaining('specifying resource version is not allowed when using continue') },
  });
  expect(await served.ask(`${maps}?continue=${encodeURIComponent(rest)}`)).toMatchObject({ code: 400 });
});

test('nobody without credentials gets past the health checks', async () => {
  const { code } = await served.ask(maps, { anonymous: true });
  expect([401, 403]).toContain(code);
  expect(await served.ask('/readyz', { anonymous: true })).toMatchObject({ code: 200 });
});
