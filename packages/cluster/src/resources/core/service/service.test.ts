import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { created, createIssues, row, updated, updateIssues } from '../../../testing/resources/judge.ts';
import { allocateClusterIp, allocateHealthCheckPort, allocateNodePorts, nodePortRange } from './allocation.ts';
import { serviceDefinition } from './service.ts';

const http = { port: 80 };
const plain = { spec: { ports: [http] } };

describe('defaults', () => {
  test('a service is a ClusterIP service', () => {
    expect(created(serviceDefinition, plain).spec).toEqual({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
    });
  });

  test('an external name has no addresses', () => {
    const { spec } = created(serviceDefinition, { spec: { type: 'ExternalName', externalName: 'a.b' } });
    expect(spec).toEqual({ type: 'ExternalName', externalName: 'a.b', sessionAffinity: 'None' });
  });

  test('nor has it ports of nodes, whoever asks for them', () => {
    const ports = [{ ...http, nodePort: 70_000 }];
    const body = { spec: { type: 'ExternalName', externalName: 'a.b', ports } };
    expect(created(serviceDefinition, body).spec.ports).toEqual([{ port: 80, targetPort: 80, protocol: 'TCP' }]);
    expect(createIssues(serviceDefinition, body)).toEqual([]);
  });

  test('a headless service says so twice', () => {
    expect(created(serviceDefinition, { spec: { clusterIP: 'None' } }).spec.clusterIPs).toEqual(['None']);
  });

  test('client affinity lasts three hours', () => {
    const idle = { spec: { ports: [http], sessionAffinityConfig: {} } };
    expect(created(serviceDefinition, idle).spec).not.toHaveProperty('sessionAffinityConfig');
    const { spec } = created(serviceDefinition, { spec: { ports: [http], sessionAffinity: 'ClientIP' } });
    expect(spec.sessionAffinityConfig).toEqual({ clientIP: { timeoutSeconds: 10_800 } });
  });

  test('without an affinity nobody looks at how it is meant', () => {
    const sessionAffinityConfig = { clientIP: { timeoutSeconds: 5 } };
    expect(created(serviceDefinition, { spec: { ports: [http], sessionAffinityConfig } }).spec).not.toHaveProperty(
      'sessionAffinityConfig',
    );
  });

  test('they change nothing the second time', () => {
    const types = fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName');
    fc.assert(
      fc.property(types, fc.boolean(), (type, headless) => {
        const spec = { type, ports: [http], ...(headless && { clusterIP: 'None' }) };
        const once = created(serviceDefinition, { spec });
        expect(serviceDefinition.defaults?.(once)).toEqual(once);
      }),
    );
  });
});

describe('validation', () => {
  test.each<[string, object, readonly string[]]>([
    ['no ports', {}, ['spec.ports: Required value']],
    ['headless without ports', { clusterIP: 'None' }, []],
    [
      'two ports without names',
      { ports: [{ port: 80 }, { port: 81 }] },
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      'one name for two ports',
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'a', port: 81 },
        ],
      },
      ['spec.ports[1].name: Duplicate value: "a"'],
    ],
    [
      'one port twice',
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 80 },
        ],
      },
      ['spec.ports[1]: Duplicate value: {"protocol":"TCP","port":80}'],
    ],
    [
      'the same port in two protocols',
      {
        ports: [
          { name: 'a', port: 53 },
          { name: 'b', port: 53, protocol: 'UDP' },
        ],
      },
      [],
    ],
    [
      'port 0',
      { ports: [{ port: 0, targetPort: 1 }] },
      ['spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    ],
    [
      'port 65536',
      { ports: [{ port: 65_536, targetPort: 1 }] },
      ['spec.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive'],
    ],
    [
      'a strange protocol',
      { ports: [{ port: 1, protocol: 'HTTP' }] },
      ['spec.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"'],
    ],
    [
      'a node port without use',
      { ports: [{ port: 1, nodePort: 30_001 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'a strange type',
      { type: 'Cluster', ports: [http] },
      [
        'spec.type: Unsupported value: "Cluster": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      'an address that is none',
      { clusterIP: 'x', ports: [http] },
      ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    ['an external name without name', { type: 'ExternalName' }, ['spec.externalName: Required value']],
  ])('%s', (_, spec, expected) => expect(createIssues(serviceDefinition, { spec })).toEqual(expected));

  test('a name starts with a letter', () => {
    expect(createIssues(serviceDefinition, { ...plain, metadata: { name: '1web' } })[0]).toContain(
      'a DNS-1035 label must consist of',
    );
  });
});

describe('updates', () => {
  const before = { spec: { ports: [http], clusterIP: '10.96.0.7' } };

  test('an address that is left out stays', () => {
    const current = created(serviceDefinition, before);
    expect(updated(serviceDefinition, current, plain).spec).toMatchObject({
      clusterIP: '10.96.0.7',
      clusterIPs: ['10.96.0.7'],
    });
  });

  test('ports for health checks stay, and go with what they are for', () => {
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [http], healthCheckNodePort: 30_111 };
    const current = created(serviceDefinition, { spec });
    const { healthCheckNodePort: _none, ...silent } = spec;
    expect(updated(serviceDefinition, current, { spec: silent }).spec.healthCheckNodePort).toBe(30_111);
    const far = updated(serviceDefinition, current, { spec: { ...spec, externalTrafficPolicy: 'Cluster' } });
    expect(far.spec.healthCheckNodePort).toBeUndefined();
    const other = { spec: { ...spec, healthCheckNodePort: -1 } };
    expect(updateIssues(serviceDefinition, { before: { spec }, after: other })).toEqual([
      'spec.healthCheckNodePort: Invalid value: -1: must be between 1 and 65535, inclusive',
      'spec.healthCheckNodePort: Forbidden: field is immutable',
    ]);
  });

  test('an address may not change', () => {
    expect(updateIssues(serviceDefinition, { before, after: { spec: { ports: [http], clusterIP: 'None' } } })).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
    ]);
  });

  test('node ports stay with their ports', () => {
    const spec = { type: 'NodePort', ports: [{ name: 'a', port: 80, nodePort: 30_080 }] };
    const current = created(serviceDefinition, { spec });
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ];
    expect(updated(serviceDefinition, current, { spec: { type: 'NodePort', ports } }).spec.ports).toMatchObject([
      { name: 'a', nodePort: 30_080 },
      { name: 'b' },
    ]);
  });

  test('going back to ClusterIP gives the node ports up', () => {
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }], externalTrafficPolicy: 'Cluster' };
    const after = { spec: { ...spec, type: 'ClusterIP' } };
    expect(updateIssues(serviceDefinition, { before: { spec }, after })).toEqual([]);
  });

  test('whether a balancer has node ports is given up with the balancer', () => {
    const current = created(serviceDefinition, { spec: { type: 'LoadBalancer', ports: [http] } });
    const body = { spec: { ...current.spec, type: 'NodePort' } };
    expect(updated(serviceDefinition, current, body).spec).not.toHaveProperty('allocateLoadBalancerNodePorts');
    const changed = { spec: { ...body.spec, allocateLoadBalancerNodePorts: false } };
    expect(updated(serviceDefinition, current, changed).spec.allocateLoadBalancerNodePorts).toBe(false);
  });

  test('becoming an external name gives the address up', () => {
    const after = { spec: { ...before.spec, type: 'ExternalName', externalName: 'a.b' } };
    expect(updateIssues(serviceDefinition, { before, after })).toEqual([]);
  });
});

describe('columns', () => {
  test.each<[object, object, object]>([
    [
      { type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP' }] },
      {},
      {
        'Cluster-IP': '10.0.0.1',
        'External-IP': '<none>',
        'Port(s)': '80/TCP',
        Selector: '<none>',
      },
    ],
    [
      { type: 'ClusterIP', clusterIP: 'None', selector: { b: '2', a: '1' } },
      {},
      {
        'Cluster-IP': 'None',
        'Port(s)': '<none>',
        Selector: 'a=1,b=2',
      },
    ],
    [
      {
        type: 'LoadBalancer',
        ports: [
          { port: 80, nodePort: 30_000, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
      {},
      {
        'External-IP': '<pending>',
        'Port(s)': '80:30000/TCP,53/UDP',
      },
    ],
    [
      { type: 'LoadBalancer', externalIPs: ['1.1.1.1'] },
      { loadBalancer: { ingress: [{ hostname: 'lb' }] } },
      {
        'External-IP': 'lb,1.1.1.1',
      },
    ],
    [{ type: 'ExternalName', externalName: 'a.b' }, {}, { 'Cluster-IP': '<none>', 'External-IP': 'a.b' }],
  ])('%j', (spec, status, expected) => expect(row(serviceDefinition, { spec, status })).toMatchObject(expected));
});

describe('allocation', () => {
  const cidr = '10.96.0.0/29';
  const allocated = (name: string, used: ReadonlySet<string>, spec: object = {}): string => {
    const service = created(serviceDefinition, { metadata: { name }, spec: { ports: [http], ...spec } });
    const outcome = allocateClusterIp(service, { used, cidr });
    return outcome.ok ? (outcome.service.spec.clusterIP ?? '') : `${outcome.issue.field}: ${outcome.issue.message}`;
  };

  test('fills the range without repeating, then says that it is full', () => {
    const used = new Set<string>();
    for (let index = 0; index < 6; index++) {
      const address = allocated(`s${index}`, used);
      expect(used.has(address)).toBe(false);
      expect(address).toMatch(/^10\.96\.0\.[1-6]$/);
      used.add(address);
    }
    expect(allocated('late', used)).toBe(
      'spec.clusterIPs: Invalid value: []: failed to allocate a serviceIP: range is full',
    );
  });

  test('the same world gives the same address', () => {
    expect(allocated('web', new Set())).toBe(allocated('web', new Set()));
  });

  test('the first address is for the API itself', () => {
    expect(allocated('kubernetes', new Set())).toBe('10.96.0.1');
  });

  test('what is asked for is given or refused', () => {
    expect(allocated('a', new Set(), { clusterIP: '10.96.0.4' })).toBe('10.96.0.4');
    expect(allocated('a', new Set(['10.96.0.4']), { clusterIP: '10.96.0.4' })).toBe(
      'spec.clusterIPs: Invalid value: ["10.96.0.4"]: failed to allocate IP 10.96.0.4: provided IP is already allocated',
    );
    expect(allocated('a', new Set(), { clusterIP: '10.97.0.4' })).toBe(
      'spec.clusterIPs: Invalid value: ["10.97.0.4"]: failed to allocate IP 10.97.0.4: the provided network does not match the current range',
    );
  });

  test('headless and external services take none', () => {
    expect(allocated('a', new Set(), { clusterIP: 'None' })).toBe('None');
    expect(allocated('a', new Set(), { type: 'ExternalName', externalName: 'a.b' })).toBe('');
  });

  test('node ports are in their range and differ', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 20 }), (ports) => {
        const spec = { type: 'NodePort', ports: ports.map((port) => ({ name: `p${port}`, port })) };
        const outcome = allocateNodePorts(created(serviceDefinition, { spec }), { used: new Set([30_000]) });
        const given = outcome.ok ? (outcome.service.spec.ports ?? []).map(({ nodePort = 0 }) => nodePort) : [];
        expect(new Set([...given, 30_000]).size).toBe(ports.length + 1);
        expect(given.every((port) => port >= nodePortRange.first && port <= nodePortRange.last)).toBe(true);
      }),
    );
  });

  test('who is balanced to the nodes that have pods is asked at a port', () => {
    const port = (spec: object): unknown => {
      const base = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80, nodePort: 30_000 }] };
      const service = created(serviceDefinition, { spec: { ...base, ...spec } });
      const outcome = allocateHealthCheckPort(service, { used: new Set([30_001]) });
      return outcome.ok ? outcome.service.spec.healthCheckNodePort : outcome.issue.message;
    };
    expect(port({})).toSatisfy((given: number) => given > 30_001 && given <= nodePortRange.last);
    expect(port({ healthCheckNodePort: 30_002 })).toBe(30_002);
    expect(port({ externalTrafficPolicy: 'Cluster' })).toBeUndefined();
    expect(port({ healthCheckNodePort: 30_000 })).toMatch('HealthCheck NodePort 30000: provided port is already');
    expect(port({ healthCheckNodePort: 30_001 })).toMatch('HealthCheck NodePort 30001: provided port is already');
    expect(port({ healthCheckNodePort: 80 })).toMatch('provided port is not in the valid range');
  });

  test('a taken node port is refused', () => {
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_000 }] };
    const service = created(serviceDefinition, { spec });
    expect(allocateNodePorts(service, { used: new Set([30_000]) })).toMatchObject({
      ok: false,
      issue: { field: 'spec.ports[0].nodePort' },
    });
  });
});
