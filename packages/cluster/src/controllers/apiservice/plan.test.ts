import { describe, expect, test } from 'vitest';
import type { APIService } from '../../api/apiservices.ts';
import type { Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { makeMeta } from '../../testing/makers.ts';
import { type Finding, obstacle, plan } from './plan.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const apiService: APIService = {
  ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  metadata: makeMeta({ name: 'v1.example.com' }),
  spec: {
    ...{ group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
    service: { namespace: 'adapters', name: 'adapter', port: 443 },
  },
  status: {},
};

function service(spec: object): Service {
  const metadata = makeMeta({ name: 'adapter', namespace: 'adapters' });
  return { apiVersion: 'v1', kind: 'Service', metadata, spec, status: {} } as Service;
}

function slice(more: object): EndpointSlice {
  const ports = [{ name: 'https', port: 6443 }];
  return { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports, ...more } as unknown as EndpointSlice;
}

const listening = service({ type: 'ClusterIP', ports: [{ name: 'https', port: 443 }] });
const where = 'service/adapter in "adapters"';

describe('what stands in the way', () => {
  test.each<[string, Service | undefined, readonly EndpointSlice[], object | undefined]>([
    ['no service', undefined, [], { reason: 'ServiceNotFound', message: `${where} is not present` }],
    [
      'another port',
      service({ type: 'ClusterIP', ports: [{ port: 80 }] }),
      [],
      { reason: 'ServicePortError', message: `${where} is not listening on port 443` },
    ],
    [
      'nothing behind it',
      listening,
      [],
      { reason: 'EndpointsNotFound', message: `cannot find endpointslices for ${where}` },
    ],
    [
      'nobody ready',
      listening,
      [slice({ endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }] })],
      { reason: 'MissingEndpoints', message: `endpointslices for ${where} have no addresses with port name "https"` },
    ],
    [
      'no port of that name',
      listening,
      [slice({ ports: [{ name: 'http', port: 80 }] })],
      { reason: 'MissingEndpoints', message: `endpointslices for ${where} have no addresses with port name "https"` },
    ],
    ['nothing: somebody is ready', listening, [slice({})], undefined],
    ['nothing: it is a name of elsewhere', service({ type: 'ExternalName', externalName: 'localhost' }), [], undefined],
  ])('%s', (_, found, slices, expected) => expect(obstacle({ apiService, service: found, slices })).toEqual(expected));
});

test.each<[Finding, string, number | undefined]>([
  [{ is: 'local' }, 'True Local: Local APIServices are always available', undefined],
  [
    { is: 'obstructed', obstacle: { reason: 'ServiceNotFound', message: 'gone' } },
    'False ServiceNotFound: gone',
    undefined,
  ],
  [{ is: 'asked', failure: undefined }, 'True Passed: all checks passed', 30_000],
  [{ is: 'asked', failure: 'bad status' }, 'False FailedDiscoveryCheck: bad status', 5_000],
])('%j is told', (finding, told, againInMs) => {
  const { actions, againInMs: again } = plan(apiService, finding, nowMs);
  const [action] = actions;
  const { status } = (action?.do === 'setStatus' ? action.object : {}) as APIService;
  const [condition] = status?.conditions ?? [];
  expect(`${condition?.status} ${condition?.reason}: ${condition?.message}`).toBe(told);
  expect(condition?.lastTransitionTime).toBe('2026-01-01T12:00:00Z');
  expect(again).toBe(againInMs);
  // Once it is told, there is nothing more to do.
  expect(plan({ ...apiService, status: status ?? {} }, finding, nowMs + 60_000).actions).toEqual([]);
});
