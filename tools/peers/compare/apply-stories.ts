/** What somebody does to an object, one request after the other. */
export interface Story {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly agent?: string;
  readonly body: unknown;
  /** How long upstream takes to hear of it. */
  readonly pauseMs?: number;
  /** Set for what is only made to happen: nothing but its code is compared. */
  readonly isSetting?: true;
}

export const applyType = 'application/apply-patch+yaml';
export const mergeType = 'application/merge-patch+json';

type By = Partial<Pick<Step, 'what' | 'agent'>> & {
  readonly manager?: string;
  readonly force?: true;
  readonly below?: string;
  readonly query?: string;
};

interface Object {
  readonly at: string;
  readonly name: string;
}

function query({ manager, force, query: more = '' }: By): string {
  const parts = [
    ...(manager === undefined ? [] : [`fieldManager=${manager}`]),
    ...(force === undefined ? [] : ['force=true']),
    ...(more === '' ? [] : [more]),
  ];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function of({ at, name }: Object): {
  create(body: object, by?: By): Step;
  apply(body: object | string, by: By): Step;
  update(body: object, by: By): Step;
  merge(body: object, by: By): Step;
} {
  const path = (by: By): string => `${at}/${name}${by.below === undefined ? '' : `/${by.below}`}${query(by)}`;
  const more = (by: By, does: string): Pick<Step, 'what' | 'agent'> => ({
    what: by.what ?? `${does} by ${by.manager ?? by.agent ?? 'nobody'}`,
    ...(by.agent !== undefined && { agent: by.agent }),
  });
  return {
    create: (body, by = {}) => ({ ...more(by, 'create'), method: 'POST', path: `${at}${query(by)}`, body }),
    apply: (body, by) => ({ ...more(by, 'apply'), method: 'PATCH', path: path(by), type: applyType, body }),
    update: (body, by) => ({ ...more(by, 'update'), method: 'PUT', path: path(by), body }),
    merge: (body, by) => ({ ...more(by, 'merge'), method: 'PATCH', path: path(by), type: mergeType, body }),
  };
}

const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';

function config(name: string): (fields: object, metadata?: object) => object {
  return (fields, metadata = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    ...fields,
  });
}

function deployment(name: string): (spec: object, more?: object) => object {
  return (spec, more = {}) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec, ...more });
}

const whole = {
  selector: { matchLabels: { app: 'd' } },
  template: {
    metadata: { labels: { app: 'd' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'a:1',
          ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP', name: 'dns' }],
          env: [{ name: 'A', value: '1' }],
          readinessProbe: { httpGet: { path: '/', port: 80 } },
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
      tolerations: [{ operator: 'Exists' }],
    },
  },
};

function scale(replicas: number, name: string): object {
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec: { replicas } };
}

function configStory(
  name: string,
  steps: (on: ReturnType<typeof of>, map: ReturnType<typeof config>) => readonly Step[],
): Story {
  const object = name
    .replaceAll(/[^a-z]+/g, '-')
    .slice(0, 40)
    .replace(/-$/, '');
  return { name, steps: steps(of({ at: `${core}/configmaps`, name: object }), config(object)) };
}

function deploymentStory(
  name: string,
  steps: (on: ReturnType<typeof of>, set: ReturnType<typeof deployment>, object: string) => readonly Step[],
): Story {
  const object = name
    .replaceAll(/[^a-z]+/g, '-')
    .slice(0, 40)
    .replace(/-$/, '');
  return { name, steps: steps(of({ at: `${apps}/deployments`, name: object }), deployment(object), object) };
}

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      subresources: { status: {}, scale: { specReplicasPath: '.spec.number', statusReplicasPath: '.status.number' } },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                number: { type: 'integer' },
                text: { type: 'string', default: 'x' },
                struct: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
                atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
                list: { type: 'array', items: { type: 'string' } },
                set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                map: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['port', 'protocol'],
                  items: {
                    type: 'object',
                    required: ['port'],
                    properties: {
                      port: { type: 'integer' },
                      protocol: { type: 'string', default: 'TCP' },
                      name: { type: 'string' },
                    },
                  },
                },
                either: { 'x-kubernetes-int-or-string': true },
                free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                embedded: {
                  type: 'object',
                  'x-kubernetes-embedded-resource': true,
                  'x-kubernetes-preserve-unknown-fields': true,
                },
              },
            },
            status: { type: 'object', properties: { number: { type: 'integer' }, text: { type: 'string' } } },
          },
        },
      },
    })),
  },
};

/** Every way in which a schema can say how lists and maps are owned, and several versions. */
function customStory(): Story {
  const at = (version: string): string => `/apis/example.com/${version}/namespaces/default/things`;
  const [first, second] = [of({ at: at('v1'), name: 't' }), of({ at: at('v2'), name: 't' })];
  const thing = (spec: object, version = 'v1', more: object = {}): object => ({
    apiVersion: `example.com/${version}`,
    kind: 'Thing',
    metadata: { name: 't' },
    spec,
    ...more,
  });
  const embedded = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: { any: [1] } };
  const all = {
    number: 1,
    struct: { a: '1' },
    atom: { a: '1' },
    list: ['a'],
    set: ['a', 'b'],
    map: [{ port: 80 }, { port: 80, protocol: 'UDP', name: 'x' }],
    either: '1',
    free: { a: { b: 1, c: [1] } },
    embedded,
  };
  return {
    name: 'a custom resource',
    steps: [
      of({ at: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', name: 'things.example.com' }).apply(
        definition,
        {
          manager: 'me',
          what: 'defined',
        },
      ),
      { ...first.create(thing(all), { manager: 'creator' }), what: 'created, once it is served' },
      first.apply(thing({ struct: { b: '2' }, set: ['c', 'b'], map: [{ port: 443 }, { port: 80, name: 'n' }] }), {
        manager: 'me',
        what: 'shown 1',
      }),
      first.apply(thing({ atom: { b: '1' }, list: ['b'], either: 2, free: { a: { b: 2 } } }), { manager: 'me' }),
      first.apply(thing({ atom: { b: '1' }, list: ['b'], either: 2, free: { a: { b: 2 } } }), {
        manager: 'me',
        force: true,
        what: 'shown 2',
      }),
      first.update(thing({ ...all, free: { a: 1 } }), { agent: 'u', what: 'no version given' }),
      first.merge(
        { spec: { free: { a: 1 }, embedded: { metadata: { labels: { a: null, c: 'd' } } } } },
        { agent: 'u' },
      ),
      first.merge({ spec: { free: { a: [1] }, number: null } }, { agent: 'u2' }),
      first.apply(thing({ struct: {}, set: [], free: {} }), { manager: 'me', what: 'shown 3' }),
      second.apply(thing({ struct: { b: '7' } }, 'v2'), { manager: 'me', what: 'in v2' }),
      second.apply(thing({ struct: { b: '7' }, text: 'y' }, 'v2'), { manager: 'me', force: true, what: 'shown in v2' }),
      second.merge({ spec: { text: 'z' } }, { manager: 'm2' }),
      first.apply(thing({ text: 'w' }), { manager: 'me' }),
      first.apply(thing({ text: 'w' }), { manager: 'me', force: true, what: 'shown 4' }),
      first.merge({ status: { number: 1 } }, { manager: 's', below: 'status' }),
      first.apply(thing({ number: 4 }, 'v1', { status: { text: 'a' } }), {
        manager: 'me',
        below: 'status',
        what: 'shown status',
      }),
      first.apply(thing({ text: 'w' }), { manager: 'me', what: 'shown 5' }),
      first.apply(thing({ foo: 1 }), { manager: 'me', what: 'wrong' }),
      first.apply(thing({ free: [] }), { manager: 'me', what: 'no map' }),
      first.apply(thing({ either: [] }), { manager: 'me', what: 'neither' }),
      first.apply(thing({ map: [{ protocol: 'UDP' }, 1] }), { manager: 'me', what: 'no element' }),
      first.apply(thing({ set: ['a', 'a', 'a'] }), { manager: 'me', what: 'one three times' }),
    ],
  };
}

export const stories: readonly Story[] = [
  configStory('a map by several', (on, map) => [
    on.create(map({ data: { a: '1', b: '1' } }, { labels: { x: 'y' } }), { manager: 'creator' }),
    on.apply(map({ data: { a: '1', c: '1' } }), { manager: 'me' }),
    on.apply(map({ data: { a: '2' } }), { manager: 'you' }),
    on.apply(map({ data: { a: '2' } }), { manager: 'you', force: true }),
    on.apply(map({ data: { d: '1' } }), { manager: 'me' }),
    on.merge({ data: { d: null, b: '3' } }, { agent: 'editor' }),
    on.apply(map({ data: {} }), { manager: 'you' }),
    on.update(map({ data: { z: '1' } }), { manager: 'creator' }),
  ]),
  configStory('owners are forgotten', (on, map) => [
    on.create(map({ data: { a: '1' } }), { agent: 'kubectl' }),
    on.update(map({ data: { a: '1', b: '1' } }, { managedFields: [] }), { manager: 'u' }),
    on.update(
      map(
        { data: { a: '1', b: '2' } },
        { managedFields: [{ manager: 'x', operation: 'Wrong', fieldsType: 'FieldsV1', apiVersion: 'v1' }] },
      ),
      { manager: 'u' },
    ),
    on.merge({ metadata: { managedFields: [{}] } }, { manager: 'm' }),
    on.merge({ data: { b: '9' } }, { manager: 'm' }),
    on.apply(map({ data: { c: '1' } }), { manager: 'me' }),
    on.apply(map({ data: { b: '1' } }), { manager: 'me' }),
  ]),
  configStory('what was applied by hand', (on, map) => [
    on.create(
      map({ data: { a: '1', b: '1' } }, { annotations: { [annotation]: JSON.stringify(map({ data: { a: '1' } })) } }),
      {
        manager: 'kubectl-client-side-apply',
      },
    ),
    on.apply(map({ data: { a: '2' } }), { manager: 'me' }),
    on.apply(map({ data: { a: '2', b: '2' } }), { manager: 'kubectl' }),
    on.apply(map({ data: { a: '2' } }), { manager: 'kubectl' }),
    on.apply(map({ data: { a: '2' } }), { manager: 'kubectl', what: 'again' }),
  ]),
  deploymentStory('a deployment by several', (on, set) => [
    on.create(set(whole), { manager: 'creator' }),
    on.apply(set({ ...whole, replicas: 2 }), { manager: 'me' }),
    on.apply(set({ ...whole, replicas: 2 }), { manager: 'me', force: true, what: 'shown' }),
    on.apply(set({ template: { spec: { containers: [{ name: 'side', image: 'b:1' }] } } }), {
      manager: 'injector',
      what: 'shown',
    }),
    on.merge(
      { spec: { template: { spec: { containers: [{ name: 'main', image: 'a:2' }] } } } },
      { agent: 'editor', what: 'shown' },
    ),
    on.apply(set({ ...whole, minReadySeconds: 3 }), { manager: 'me' }),
    on.apply(set({ ...whole, minReadySeconds: 3 }), { manager: 'me', force: true, what: 'shown' }),
    on.apply(set({ minReadySeconds: 3 }), { manager: 'me', what: 'shown' }),
  ]),
  deploymentStory('created by an apply', (on, set) => [
    on.apply(set(whole), { manager: 'me', what: 'shown' }),
    on.apply(set(whole), { manager: 'me', what: 'again' }),
    on.apply(set({ ...whole, replicas: null }), { manager: 'me', what: 'shown null' }),
  ]),
  deploymentStory('scaled', (on, set, name) => [
    on.apply(set({ ...whole, replicas: 1 }), { manager: 'me' }),
    on.update(scale(2, name), { manager: 'hpa', below: 'scale', what: 'scale' }),
    on.apply(set({ ...whole, replicas: 1 }), { manager: 'me' }),
    on.apply(set(whole), { manager: 'me', what: 'shown left alone' }),
    on.apply(scale(5, name), { manager: 'you', below: 'scale', what: 'scale by apply' }),
    on.apply(scale(5, name), { manager: 'you', below: 'scale', force: true, what: 'scale by force' }),
    on.merge({ metadata: { labels: { a: 'b' } } }, { manager: 'm', what: 'shown after' }),
  ]),
  {
    name: 'a status',
    steps: ((on, ingress: (fields: object) => object) => [
      on.create(ingress({ spec: { defaultBackend: { service: { name: 'x', port: { number: 1 } } } } }), {
        manager: 'creator',
      }),
      on.merge({ status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } } }, { manager: 'c', below: 'status' }),
      on.apply(ingress({ status: { loadBalancer: { ingress: [{ ip: '1.1.1.2' }] } } }), {
        manager: 's',
        below: 'status',
      }),
      on.apply(
        ingress({ spec: { ingressClassName: 'y' }, status: { loadBalancer: { ingress: [{ ip: '1.1.1.2' }] } } }),
        {
          manager: 's',
          below: 'status',
          force: true,
          what: 'shown',
        },
      ),
      on.apply(ingress({ spec: { ingressClassName: 'y' }, status: { loadBalancer: {} } }), {
        manager: 'me',
        what: 'shown',
      }),
      on.merge({ metadata: { labels: { a: 'b' } } }, { manager: 'c', below: 'status', what: 'metadata' }),
    ])(of({ at: '/apis/networking.k8s.io/v1/namespaces/default/ingresses', name: 'a' }), (fields) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'a' },
      ...fields,
    })),
  },
  {
    name: 'a service',
    steps: ((on, service: (spec: object) => object) => [
      on.apply(service({ selector: { a: 'b' }, ports: [{ port: 80 }, { port: 443, name: 'https' }] }), {
        manager: 'me',
        what: 'refused',
      }),
      on.apply(
        service({
          selector: { a: 'b' },
          ports: [
            { port: 80, name: 'http' },
            { port: 443, name: 'https' },
          ],
        }),
        { manager: 'me' },
      ),
      on.apply(service({ ports: [{ port: 53, protocol: 'UDP', name: 'dns' }] }), { manager: 'you' }),
      on.apply(service({ selector: { c: 'd' } }), { manager: 'you' }),
      on.apply(service({ selector: { c: 'd' } }), { manager: 'you', force: true }),
      on.apply(service({ ports: [{ port: 443, name: 'https' }] }), { manager: 'me' }),
      on.merge({ spec: { sessionAffinity: 'ClientIP' } }, { agent: 'kubectl' }),
    ])(of({ at: `${core}/services`, name: 's' }), (spec) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec,
    })),
  },
  {
    name: 'a pod',
    steps: ((on, pod: (spec: object) => object) => [
      on.create(
        pod({
          ...whole.template.spec,
          schedulerName: 'nobody',
          initContainers: [{ name: 'i', image: 'x', resources: { limits: { cpu: '1' } } }],
        }),
        { agent: 'kubelet' },
      ),
      on.merge({ metadata: { finalizers: ['a.b/c'], annotations: { x: 'y' } } }, { agent: 'kubectl' }),
      on.merge(
        {
          status: {
            phase: 'Pending',
            podIPs: [{ ip: '10.0.0.1' }],
            podIP: '10.0.0.1',
            conditions: [{ type: 'Ready', status: 'False' }],
          },
        },
        {
          agent: 'kubelet',
          below: 'status',
        },
      ),
      on.merge(
        {
          status: {
            conditions: [
              { type: 'Ready', status: 'True' },
              { type: 'X', status: 'True', reason: 'r' },
            ],
          },
        },
        { agent: 'kubelet', below: 'status' },
      ),
      on.apply(pod({ activeDeadlineSeconds: 5 }), { manager: 'me' }),
      on.apply(pod({ tolerations: [] }), { manager: 'me' }),
    ])(of({ at: `${core}/pods`, name: 'p' }), (spec) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec,
    })),
  },
  customStory(),
  deploymentStory('refusals', (on, set) => [
    on.apply(set(whole), { what: 'without a manager' }),
    on.apply(set({ ...whole, foo: 1 }), { manager: 'me', what: 'an unknown field' }),
    on.apply(set({ ...whole, replicas: 'x' }), { manager: 'me', what: 'a wrong type' }),
    on.apply(set({ ...whole, paused: 'x' }), { manager: 'me', what: 'another wrong type' }),
    on.apply(set({ ...whole, strategy: { type: 1 } }), { manager: 'me', what: 'a number for a text' }),
    on.apply(set({ ...whole, template: [] }), { manager: 'me', what: 'no map' }),
    on.apply(set({ ...whole, template: { spec: { containers: {} } } }), { manager: 'me', what: 'no list' }),
    on.apply(set({ ...whole, template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } }), {
      manager: 'me',
      what: 'one twice',
    }),
    on.apply(set({ ...whole, template: { spec: { containers: [{ name: 'a' }, { name: 'a' }, { name: 'a' }] } } }), {
      manager: 'me',
      what: 'one three times',
    }),
    on.apply(set({ ...whole, template: { spec: { containers: [{ image: 'a' }] } } }), {
      manager: 'me',
      what: 'no key',
    }),
    on.apply({ ...set(whole), apiVersion: 'apps/v1beta1' }, { manager: 'me', what: 'another version' }),
    on.apply({ ...set(whole), kind: 'DaemonSet' }, { manager: 'me', what: 'another kind' }),
    on.apply({ ...set(whole), metadata: { name: 'other' } }, { manager: 'me', what: 'another name' }),
    on.apply({ ...set(whole), metadata: {} }, { manager: 'me', what: 'no name' }),
    on.apply({ ...set(whole), metadata: { name: 'refusals', uid: 'x' } }, { manager: 'me', what: 'a uid' }),
    on.apply(
      { ...set(whole), metadata: { name: 'refusals', resourceVersion: '1' } },
      { manager: 'me', what: 'a version' },
    ),
    on.apply({ ...set(whole), metadata: { name: 'refusals', managedFields: [] } }, { manager: 'me', what: 'owners' }),
    on.apply('[]', { manager: 'me', what: 'a list' }),
    on.apply(set({ ...whole, replicas: -1 }), { manager: 'me', what: 'not valid' }),
    on.apply(set(whole), { manager: 'me', below: 'status', what: 'the status of nothing' }),
    on.apply('{apiVersion: apps/v1, kind: Deployment, metadata: {name: refusals, name: refusals}}', {
      manager: 'me',
      query: 'fieldValidation=Strict',
      what: 'twice and strict',
    }),
    on.merge({}, { manager: 'me', force: true, what: 'force without apply' }),
  ]),
];
