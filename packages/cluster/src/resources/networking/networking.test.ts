import { describe, expect, test } from 'vitest';
import { type Issue, root } from '../../api/issue.ts';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { ingressDefinition } from './ingress.ts';
import { ingressclassDefinition } from './ingressclass.ts';
import { networkpolicyDefinition } from './networkpolicy.ts';

const shown = ({ field, message }: Issue): string => `${field}: ${message}`;

describe('ingress', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const rule = (path: object, host = 'a.b'): object => ({
    host,
    http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] },
  });
  const at = 'spec.rules[0].http.paths[0]';

  test.each<[object, readonly string[]]>([
    [{ rules: [rule({})] }, []],
    [{ defaultBackend: backend }, []],
    [{}, ['spec: Invalid value: {}: either `defaultBackend` or `rules` must be specified']],
    [
      { rules: [rule({}, '10.0.0.1')] },
      ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
    ],
    [{ rules: [rule({}, '*.a.b')] }, []],
    [
      { rules: [rule({ pathType: '' })] },
      [`${at}.pathType: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
    ],
    [{ rules: [rule({ pathType: undefined })] }, [`${at}.pathType: Required value: pathType must be specified`]],
    [
      { rules: [rule({ pathType: 'Regex' })] },
      [`${at}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
    ],
    [
      { rules: [rule({ pathType: '', backend: {} })] },
      [
        `${at}.pathType: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
        `${at}.backend: Invalid value: "": resource or service backend is required`,
      ],
    ],
    [{ rules: [rule({ path: 'a' })] }, [`${at}.path: Invalid value: "a": must be an absolute path`]],
    [{ rules: [rule({ path: '/a/../b' })] }, [`${at}.path: Invalid value: "/a/../b": must not contain '/../'`]],
    [
      { rules: [rule({ backend: { service: { name: 'web' } } })] },
      [`${at}.backend: Required value: port name or number is required`],
    ],
    [{ rules: [rule({ backend: {} })] }, [`${at}.backend: Invalid value: "": resource or service backend is required`]],
  ])('%j', (spec, expected) => expect(createIssues(ingressDefinition, { spec })).toEqual(expected));

  test('is to be reached where there is something to reach', () => {
    const before = created(ingressDefinition, { spec: { rules: [rule({})] } });
    const ingress = [{ ip: '10.0.0.1' }, { ip: 'no', hostname: '10.0.0.1' }, { hostname: 'A' }];
    const next = { ...before, status: { loadBalancer: { ingress } } };
    const place = 'status.loadBalancer.ingress';
    expect([...(ingressDefinition.validateStatusUpdate?.(next, before, root) ?? [])].map(shown)).toEqual([
      `${place}[1].ip: Invalid value: "no": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
      `${place}[1].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address`,
      expect.stringContaining(`${place}[2].hostname: Invalid value: "A": a lowercase RFC 1123 subdomain`),
    ]);
  });

  test('columns', () => {
    const rules = ['a', 'b', 'c', 'd'].map((host) => ({ host }));
    const status = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'lb' }] } };
    expect(row(ingressDefinition, { spec: { rules, tls: [{}], ingressClassName: 'nginx' }, status })).toEqual({
      Class: 'nginx',
      Hosts: 'a,b,c + 1 more...',
      Address: '1.2.3.4,lb',
      Ports: '80, 443',
    });
    expect(row(ingressDefinition, { spec: { defaultBackend: backend } })).toEqual({
      Class: '<none>',
      Hosts: '*',
      Address: '',
      Ports: '80',
    });
  });
});

describe('ingress class', () => {
  const controller = 'example.com/controller';

  test('the controller is a domain and a path, and stays', () => {
    expect(createIssues(ingressclassDefinition, { spec: { controller } })).toEqual([]);
    expect(createIssues(ingressclassDefinition, { spec: { controller: 'x' } })[0]).toContain('domain-prefixed path');
    expect(
      updateIssues(ingressclassDefinition, {
        before: { spec: { controller } },
        after: { spec: { controller: 'a.b/c' } },
      }),
    ).toEqual(['spec.controller: Invalid value: "a.b/c": field is immutable']);
  });

  test('columns', () => {
    const parameters = { apiGroup: 'x.y', kind: 'Config', name: 'c' };
    expect(row(ingressclassDefinition, { spec: { controller, parameters } })).toEqual({
      Controller: controller,
      Parameters: 'Config.x.y/c',
    });
  });
});

describe('network policy', () => {
  test('types follow from the rules', () => {
    const types = (spec: object): unknown => created(networkpolicyDefinition, { spec }).spec.policyTypes;
    expect(types({})).toEqual(['Ingress']);
    expect(types({ egress: [{}] })).toEqual(['Ingress', 'Egress']);
    expect(types({ policyTypes: ['Egress'] })).toEqual(['Egress']);
  });

  test.each<[object, readonly string[]]>([
    [{ ingress: [{ from: [{}] }] }, ['spec.ingress[0].from[0]: Required value: must specify a peer']],
    [
      { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }] }] },
      ['spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer'],
    ],
    [
      { ingress: [{ ports: [{ endPort: 5 }] }] },
      ['spec.ingress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is not specified'],
    ],
    [{ ingress: [{ ports: [{ port: 80, endPort: 90 }] }] }, []],
    [
      { policyTypes: ['Both'] },
      ['spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"'],
    ],
  ])('%j', (spec, expected) => expect(createIssues(networkpolicyDefinition, { spec })).toEqual(expected));

  test('the column shows the selector', () => {
    expect([
      ...(networkpolicyDefinition.warnings?.(created(networkpolicyDefinition, { spec: {} })) ?? []),
    ]).toHaveLength(1);
    expect(row(networkpolicyDefinition, { spec: { podSelector: { matchLabels: { a: 'b' } } } })).toEqual({
      'Pod-Selector': 'a=b',
    });
    expect(row(networkpolicyDefinition, { spec: { podSelector: {} } })).toEqual({ 'Pod-Selector': '<none>' });
  });
});
