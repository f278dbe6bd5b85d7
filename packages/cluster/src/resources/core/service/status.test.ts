import { expect, test } from 'vitest';
import type { Service } from '../../../api/generated/core-v1.ts';
import { root } from '../../../api/issue.ts';
import { defaultServiceStatus, validateServiceStatus } from './status.ts';

test('traffic to an address comes as it was sent, unless it is said otherwise', () => {
  const of = (...ingress: readonly object[]): object => ({ loadBalancer: { ingress } });
  expect(defaultServiceStatus(of({ ip: '10.0.0.1' }, { hostname: 'a' }, { ip: '10.0.0.2', ipMode: 'Proxy' }))).toEqual(
    of({ ip: '10.0.0.1', ipMode: 'VIP' }, { hostname: 'a' }, { ip: '10.0.0.2', ipMode: 'Proxy' }),
  );
  expect(defaultServiceStatus({})).toEqual({});
});

const at = 'status.loadBalancer.ingress';

test.each<[type: string, ingress: readonly object[], issues: readonly string[]]>([
  ['LoadBalancer', [{ ip: '10.0.0.1', ipMode: 'VIP' }, { hostname: 'a.example.com' }], []],
  ['NodePort', [], []],
  ['NodePort', [{}], [`${at}: Forbidden: may only be used when \`spec.type\` is 'LoadBalancer'`]],
  [
    'LoadBalancer',
    [{ ip: 'no', ipMode: 'VIP' }, { ipMode: 'VIP' }, { ip: '10.0.0.1', ipMode: 'Odd' }, { hostname: '10.0.0.1' }],
    [
      `${at}[0].ip: Invalid value: "no": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
      `${at}[1].ipMode: Forbidden: may not be specified when \`ip\` is not set`,
      `${at}[2].ipMode: Unsupported value: "Odd": supported values: "Proxy", "VIP"`,
      `${at}[3].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address`,
    ],
  ],
])('what the status of a %s may say: %j', (type, ingress, issues) => {
  const service = { spec: { type }, status: { loadBalancer: { ingress } } } as unknown as Service;
  const found = [...validateServiceStatus(service, root)].map(({ field, message }) => `${field}: ${message}`);
  expect(found).toEqual(issues);
});
