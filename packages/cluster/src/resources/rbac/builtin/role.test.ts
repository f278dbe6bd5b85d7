import { expect, test } from 'vitest';
import { rulesIn } from './role.ts';

test('a rule is a line', () => {
  expect(rulesIn('get list: pods pods/log')).toEqual([
    { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] },
  ]);
  expect(
    rulesIn(`
      *: * in *
      *: *
      get: /healthz /healthz/*
      create patch: events in core events.k8s.io
      approve:
        signers in certificates.k8s.io
        named a.io/b c.io/d
    `),
  ).toEqual([
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/healthz/*'] },
    { verbs: ['create', 'patch'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
    {
      verbs: ['approve'],
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['a.io/b', 'c.io/d'],
    },
  ]);
});
