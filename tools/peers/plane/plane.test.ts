import { describe, expect, test } from 'vitest';
import { deedNamed, deedOf, parseAudit } from './audit.ts';
import { apiServerFlags, controllerManagerFlags, etcdFlags } from './flags.ts';
import { start } from './processes.ts';
import { findPrograms, planePrograms } from './programs.ts';

const places = { folder: '/f', pki: '/f/pki' };

test('nobody else can reach it', () => {
  const flags = [
    ...etcdFlags(places, { client: 1, peer: 2 }),
    ...apiServerFlags({ ...places, port: 3, etcdPort: 1, auditPolicy: '/f/policy', auditLog: '/f/log' }),
    ...controllerManagerFlags({ pki: '/f/pki', kubeconfig: '/f/k' }),
  ];
  const addresses = flags.filter((flag) => /\d+\.\d+\.\d+\.\d+/.test(flag) && !flag.includes('ip-range'));
  expect(addresses.filter((flag) => !flag.includes('127.0.0.1'))).toEqual([]);
  expect(addresses.length).toBeGreaterThan(5);
  expect(flags).toContain('--authorization-mode=Node,RBAC');
});

test('what is not built is named with the mend', () => {
  expect(findPrograms({})).toEqual({ missing: `not built: npm run peers -- ${planePrograms.join(' ')}` });
  const given = { ETCD: '/e', KUBE_APISERVER: '/a', KUBE_CONTROLLER_MANAGER: '/c', KUBE_SCHEDULER: '/s' };
  expect(findPrograms(given).programs).toEqual({
    ...{ etcd: '/e', 'kube-apiserver': '/a', 'kube-controller-manager': '/c', 'kube-scheduler': '/s' },
  });
});

describe('the audit log', () => {
  const record = { verb: 'update', user: { username: 'u' }, requestURI: '/x' };
  const ref = { resource: 'statefulsets', apiGroup: 'apps', subresource: 'status' };

  test('is read up to the line that is being written', () => {
    expect(parseAudit(`${JSON.stringify(record)}\n{"verb":"ge`)).toEqual([record]);
    expect(parseAudit('')).toEqual([]);
  });

  test('has deeds in the words of rules', () => {
    expect(deedOf({ ...record, objectRef: ref })).toBe('update statefulsets.apps/status');
    expect(deedNamed({ verb: 'update', group: 'apps', resource: 'statefulsets/status' })).toBe(
      'update statefulsets.apps/status',
    );
    expect(deedOf({ ...record, objectRef: { resource: 'pods' } })).toBe('update pods');
  });
});

test('a program that is not there is named', async () => {
  await expect(start({ program: '/no/such/program', flags: [], log: '/dev/null' })).rejects.toThrow(
    'cannot start /no/such/program',
  );
});

test('a program is ended, also one that does not want to', async () => {
  const flags = ['-e', 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)'];
  const stubborn = await start({ program: process.execPath, flags, log: '/dev/null', endMsMax: 300 });
  expect(stubborn.over()).toBeUndefined();
  await stubborn.end();
  expect(stubborn.over()).toMatch(/^node ended \(SIG(?:KILL|TERM)\)$/);
  expect(() => process.kill(stubborn.pid, 0)).toThrow('ESRCH');
});
