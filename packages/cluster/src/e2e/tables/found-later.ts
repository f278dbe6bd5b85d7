import { json, map, maps, post, put, type Row } from './requests.ts';

const apis = '/apis';

/** More of what `npm run differ` found that upstream refuses: of kinds that it plays since, and of what it plays less often. */
export const foundLaterRows: readonly Row[] = [
  [
    'an operation that is a list',
    `${maps}/kept`,
    json([[]]),
    400,
    'BadRequest',
    'cannot unmarshal array into Go value',
  ],
  ['an operation that says nothing', `${maps}/kept`, json([{}]), 422, 'Invalid', 'due to an error in our request'],
  [
    'a version before a value',
    maps,
    map({ name: 'Not Valid!', resourceVersion: '1' }),
    422,
    'Invalid',
    'metadata.name',
  ],
  [
    'a question in another namespace',
    `${apis}/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews`,
    post({ metadata: { namespace: 'other' }, spec: {} }),
    400,
    'BadRequest',
    'does not match the namespace sent on the request',
  ],
  [
    'a field of candidates that nobody may select',
    `${apis}/coordination.k8s.io/v1beta1/leasecandidates?fieldSelector=spec.leaseName%3Da`,
    {},
    400,
    'BadRequest',
    'is not a known field selector',
  ],
  [
    'an overhead that is no resource',
    `${apis}/node.k8s.io/v1/runtimeclasses`,
    post({ metadata: { name: 'bad' }, handler: 'a', overhead: { podFixed: { a: '1' } } }),
    422,
    'Invalid',
    'overhead.limits[a]: Invalid value: "a": must be a standard resource type or fully qualified',
  ],
  [
    'parameters at no place',
    `${apis}/networking.k8s.io/v1/ingressclasses`,
    post({
      metadata: { name: 'bad' },
      spec: {
        controller: 'a.example.com/a',
        parameters: { kind: 'A', name: '../a', scope: 'Namespace', namespace: 'No!' },
      },
    }),
    422,
    'Invalid',
    '[spec.parameters.name: Invalid value: "../a": may not contain \'/\', spec.parameters.namespace: ',
  ],
  [
    'an address on no node',
    '/api/v1/namespaces/default/endpoints',
    post({ metadata: { name: 'bad' }, subsets: [{ addresses: [{ ip: '10.1.2.3', nodeName: 'No!' }] }] }),
    422,
    'Invalid',
    'subsets[0].addresses[0].nodeName',
  ],
  [
    'a version of what is not there, and a wrong value',
    '/api/v1/namespaces/default/limitranges/none',
    put({ metadata: { name: 'none', resourceVersion: '1' }, spec: { limits: [{ type: 'Local' }] } }),
    422,
    'Invalid',
    'spec.limits[0].type',
  ],
  [
    'parameters that may be missing, and nothing said of that',
    `${apis}/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings`,
    post({ metadata: { name: 'bad' }, spec: { policyName: 'a', paramRef: { name: 'a' } } }),
    422,
    'Invalid',
    'spec.paramRef.parameterNotFoundAction',
  ],
  [
    'a parameter of a kind that is none',
    `${apis}/admissionregistration.k8s.io/v1/validatingadmissionpolicies`,
    post({ metadata: { name: 'bad' }, spec: { paramKind: { apiVersion: 'No', kind: '/var' } } }),
    422,
    'Invalid',
    'spec.paramKind.kind: Invalid value: "/var": may have mixed case, but should otherwise match: a DNS-1035 label',
  ],
  [
    'a metric with two sources',
    `${apis}/autoscaling/v2/namespaces/default/horizontalpodautoscalers`,
    post({
      metadata: { name: 'bad' },
      spec: {
        ...{ maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'x' } }, object: { target: { type: 'y' } } },
        ],
      },
    }),
    422,
    'Invalid',
    'spec.metrics[0].object.target.type: Invalid value: "y"',
  ],
  [
    'an address of the other family',
    `${apis}/discovery.k8s.io/v1/namespaces/default/endpointslices`,
    post({ metadata: { name: 'bad' }, addressType: 'IPv4', endpoints: [{ addresses: ['none', '2001:db8::1'] }] }),
    422,
    'Invalid',
    'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
  ],
  [
    'labels of a template that are none',
    `${apis}/apps/v1/namespaces/default/daemonsets`,
    post({
      metadata: { name: 'bad' },
      spec: { selector: { matchLabels: { a: 'a/b' } }, template: { metadata: { labels: { a: 'a/b' } }, spec: {} } },
    }),
    422,
    'Invalid',
    'spec.template.labels: Invalid value: "a/b"',
  ],
  [
    'a resize of what cannot be resized',
    '/api/v1/namespaces/default/pods',
    post({
      metadata: { name: 'bad' },
      spec: { containers: [{ name: 'a', image: 'a', resizePolicy: [{ resourceName: 'x', restartPolicy: 'y' }] }] },
    }),
    422,
    'Invalid',
    'spec.containers[0].resizePolicy: Unsupported value: "y"',
  ],
  [
    'users of its own in the network of the host',
    '/api/v1/namespaces/default/pods',
    post({
      metadata: { name: 'bad' },
      spec: { hostUsers: false, hostNetwork: true, containers: [{ name: 'a', image: 'a' }] },
    }),
    422,
    'Invalid',
    'spec.hostNetwork: Forbidden: when `hostUsers` is false',
  ],
  [
    'a limit of failed indexes without one per index',
    `${apis}/batch/v1/namespaces/default/jobs`,
    post({
      metadata: { name: 'bad' },
      spec: {
        maxFailedIndexes: 1,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } },
      },
    }),
    422,
    'Invalid',
    'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
  ],
  [
    'a policy for a name that is none',
    `${apis}/admissionregistration.k8s.io/v1/validatingadmissionpolicies`,
    post({
      metadata: { name: 'bad' },
      spec: {
        validations: [{ expression: 'true' }],
        matchConstraints: {
          resourceRules: [
            {
              ...{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] },
              resourceNames: ['a/b', 'a', 'a'],
            },
          ],
        },
      },
    }),
    422,
    'Invalid',
    'resourceNames[0]: Invalid value: "a/b": may not contain',
  ],
  [
    'a question in a namespace that has a name',
    `${apis}/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews`,
    post({
      metadata: { name: 'a', namespace: 'default' },
      spec: { user: 'a', resourceAttributes: { namespace: 'default' } },
    }),
    422,
    'Invalid',
    'must be empty except for namespace',
  ],
  [
    'a revision of no object',
    `${apis}/apps/v1/namespaces/default/controllerrevisions`,
    post({ metadata: { name: 'bad' }, revision: 1, data: 'text' }),
    422,
    'Invalid',
    'data: Required value: data must be a valid JSON object',
  ],
  [
    'an address that belongs to nothing',
    `${apis}/networking.k8s.io/v1/ipaddresses`,
    post({ metadata: { name: '192.0.2.9' } }),
    422,
    'Invalid',
    'is invalid: spec.parentRef: Required value',
  ],
];
