import { expect, test } from 'vitest';
import type { PodPlace } from '../protocol/inside.ts';
import { assertPlace } from './safe-names.ts';

const place: PodPlace = {
  ...{ uid: 'uid-1', namespace: 'shop', name: 'web-0', address: '10.64.0.2', hostname: 'web-0' },
  ...{ hosts: [], resolver: [], sharesProcesses: false, processesMax: undefined, hostPorts: [] },
};

test.each(['web-0', 'web-0.web.shop.svc.cluster.local', 'a'.repeat(63)])('a pod may be called %s', (hostname) => {
  expect(() => assertPlace({ ...place, hostname })).not.toThrow();
});

test.each(['', '../etc', 'a..b', '.a', 'a.', '-a', 'a b', 'a'.repeat(64), `${'a.'.repeat(40)}a`])(
  'but not %j',
  (hostname) => {
    expect(() => assertPlace({ ...place, hostname })).toThrow('is no host name');
  },
);
