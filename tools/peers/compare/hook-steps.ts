export interface HookStep {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** `HOOK` stands for where the webhook listens, `BUNDLE` for who vouches for it. */
  readonly body?: object;
  readonly type?: string;
  /** Where the answer itself is told elsewhere. */
  readonly shows?: 'nothing';
}

const merge = 'application/merge-patch+json';
const maps = '/api/v1/namespaces/default/configmaps';
const configurations = '/apis/admissionregistration.k8s.io/v1';

/** What the webhook says: its path asks for it. */
export function replyOf(path: string, body: string): string {
  const review = JSON.parse(body) as { readonly request: { readonly uid: string } };
  const { uid } = review.request;
  return JSON.stringify({ ...review, request: undefined, response: { uid, ...sayings[path.replace(/\?.*$/, '')] } });
}

const patch = (...operations: readonly object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

const sayings: Readonly<Record<string, object>> = {
  '/yes': { allowed: true },
  '/warn': { allowed: true, warnings: ['look out'] },
  '/label': patch({ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }),
  '/no': { allowed: false },
  '/no-because': { allowed: false, status: { message: 'not today', reason: 'Forbidden', code: 403 } },
  '/no-reason': { allowed: false, status: { reason: 'TooLate' } },
  '/no-details': {
    allowed: false,
    status: { message: 'bad', code: 422, reason: 'Invalid', details: { causes: [{ field: 'data', message: 'x' }] } },
  },
  '/stranger': { uid: 'another', allowed: true },
  '/half': { allowed: true, patch: 'W10=' },
  '/no-patch': patch({ op: 'remove', path: '/nowhere' }),
  '/spoil': patch({ op: 'add', path: '/data', value: { '?': 'x' } }),
};

const hook = (name: string, at: string, more: object = {}): object => ({
  name: `${name}.example.com`,
  clientConfig: { url: `https://HOOK${at}`, caBundle: 'BUNDLE' },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'pods/*'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

function configure(kind: 'Mutating' | 'Validating', ...webhooks: readonly object[]): HookStep {
  const resource = `${kind.toLowerCase()}webhookconfigurations`;
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'hooks' },
    webhooks,
  };
  return {
    name: `a ${kind}WebhookConfiguration`,
    method: 'POST',
    path: `${configurations}/${resource}`,
    body,
    shows: 'nothing',
  };
}

function remove(kind: 'mutating' | 'validating'): HookStep {
  return {
    name: 'and it goes',
    method: 'DELETE',
    path: `${configurations}/${kind}webhookconfigurations/hooks`,
    shows: 'nothing',
  };
}

const create = (name: string, more: object = {}, query = ''): HookStep => ({
  name: `create ${name}${query}`,
  method: 'POST',
  path: `${maps}${query}`,
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' }, ...more },
});

/** Why a patch cannot be applied each says in its own words. */
function wordless(at: string): Partial<HookStep> {
  return at === '/no-patch' ? { shows: 'nothing' } : {};
}

/** One webhook that says so, and what comes of it. */
function saying(at: string, more: object = {}): readonly HookStep[] {
  const kind = ['/label', '/half', '/no-patch', '/spoil'].includes(at) ? 'Mutating' : 'Validating';
  return [
    configure(kind, hook('a', at, more)),
    { ...create(`said${at.replaceAll('/', '-')}${JSON.stringify(more).length}`), ...wordless(at) },
    remove(kind === 'Mutating' ? 'mutating' : 'validating'),
  ];
}

/** A configuration that is wrong, with what is said of it. */
function refused(what: string, more: object): HookStep {
  const { shows: _said, ...step } = configure('Validating', hook('a', '/yes', more));
  return { ...step, name: `refused: ${what}` };
}

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };

export const hookSteps: readonly HookStep[] = [
  configure('Mutating', hook('m', '/label')),
  configure('Validating', hook('v', '/yes', { timeoutSeconds: 3 })),
  create('one'),
  create('dry', {}, '?dryRun=All&fieldManager=me&fieldValidation=Strict'),
  {
    ...create('made'),
    body: { metadata: { generateName: 'made-' } },
    shows: 'nothing',
    name: 'create with a name to be made up',
    path: `${maps}?dryRun=All`,
  },
  { name: 'patch', method: 'PATCH', path: `${maps}/one?fieldManager=me`, type: merge, body: { data: { c: 'd' } } },
  {
    name: 'update',
    method: 'PUT',
    path: `${maps}/one`,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { e: 'f' } },
  },
  {
    name: 'delete',
    method: 'DELETE',
    path: `${maps}/one`,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', gracePeriodSeconds: 3 },
  },
  {
    name: 'create a pod',
    method: 'POST',
    path: '/api/v1/namespaces/default/pods',
    body: { metadata: { name: 'p' }, spec: template.spec },
    shows: 'nothing',
  },
  {
    name: 'bind it',
    method: 'POST',
    path: '/api/v1/namespaces/default/pods/p/binding',
    body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'nowhere' } },
    shows: 'nothing',
  },
  {
    name: 'say how it is',
    method: 'PATCH',
    path: '/api/v1/namespaces/default/pods/p/status',
    type: merge,
    body: { status: { phase: 'Running' } },
    shows: 'nothing',
  },
  {
    name: 'evict it',
    method: 'POST',
    path: '/api/v1/namespaces/default/pods/p/eviction?dryRun=All',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace: 'default' } },
    shows: 'nothing',
  },
  remove('mutating'),
  remove('validating'),
  ...['/warn', '/no', '/no-because', '/no-reason', '/no-details', '/stranger', '/half', '/no-patch', '/spoil'].flatMap(
    (at) => saying(at),
  ),
  ...saying('/yes', { clientConfig: { url: 'https://127.0.0.1:1/gone' } }),
  ...saying('/yes', { clientConfig: { url: 'https://127.0.0.1:1/gone' }, failurePolicy: 'Ignore' }),
  ...saying('/yes', { clientConfig: { url: 'https://HOOK/yes' } }),
  ...saying('/yes', {
    clientConfig: { service: { namespace: 'default', name: 'nobody', path: '/x' }, caBundle: 'BUNDLE' },
  }),
  ...saying('/yes', { matchConditions: [{ name: 'c', expression: 'object.data.nothing == 1' }] }),
  ...saying('/yes', { matchConditions: [{ name: 'c', expression: "request.operation == 'DELETE'" }] }),
  refused('much at once', { sideEffects: 'Some', timeoutSeconds: 99, name: 'short' }),
  refused('a url', { clientConfig: { url: 'http://me@a/b?c#d' } }),
  refused('a condition', { matchConditions: [{ name: 'c', expression: '1 + 1' }] }),
  refused('rules', {
    rules: [
      {
        ...{ operations: ['GET'], apiGroups: ['*', ''], apiVersions: [] },
        ...{ resources: ['*', 'pods', 'a/*', 'a/b'], scope: 'x' },
      },
    ],
  }),
];
