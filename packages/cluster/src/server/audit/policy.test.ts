import { expect, test } from 'vitest';
import { type AuditedQuestion, type AuditPolicy, type AuditRule, auditedBy } from './policy.ts';

const user = { name: 'jane', groups: ['devs', 'system:authenticated'] };
const pod: AuditedQuestion = { user, verb: 'get', group: '', resource: 'pods', namespace: 'shop', name: 'web' };
const log: AuditedQuestion = { ...pod, resource: 'pods/log' };
const node: AuditedQuestion = { user, verb: 'list', group: '', resource: 'nodes' };
const health: AuditedQuestion = { user, verb: 'get', path: '/livez/ping' };

test.each<[Omit<AuditRule, 'level'>, AuditedQuestion, boolean]>([
  [{}, pod, true],
  [{ users: ['jane'] }, pod, true],
  [{ users: ['joe'] }, pod, false],
  [{ users: ['jane'] }, { ...pod, user: undefined }, false],
  [{ userGroups: ['ops', 'devs'] }, pod, true],
  [{ userGroups: ['ops'] }, pod, false],
  [{ verbs: ['list'] }, pod, false],
  [{ verbs: ['*'] }, pod, true],
  [{ namespaces: ['shop'] }, pod, true],
  [{ namespaces: ['shop'] }, node, false],
  [{ namespaces: [''] }, node, true],
  [{ namespaces: ['shop'] }, health, false],
  [{ resources: [{ resources: ['pods'] }] }, pod, true],
  [{ resources: [{ resources: ['pods'] }] }, log, false],
  [{ resources: [{ resources: ['pods/log'] }] }, log, true],
  [{ resources: [{ resources: ['pods/*'] }] }, log, true],
  [{ resources: [{ resources: ['pods/*'] }] }, pod, true],
  [{ resources: [{ resources: ['*/log'] }] }, log, true],
  [{ resources: [{ resources: ['*/log'] }] }, pod, false],
  [{ resources: [{ resources: ['*'] }] }, log, true],
  [{ resources: [{}] }, log, true],
  [{ resources: [{ group: 'apps' }] }, pod, false],
  [{ resources: [{ resources: ['pods'], resourceNames: ['web'] }] }, pod, true],
  [{ resources: [{ resources: ['pods'], resourceNames: ['db'] }] }, pod, false],
  [{ resources: [{}] }, health, false],
  [{ nonResourceURLs: ['/livez*'] }, health, true],
  [{ nonResourceURLs: ['/livez'] }, health, false],
  [{ nonResourceURLs: ['*'] }, health, true],
  [{ nonResourceURLs: ['*'] }, pod, false],
])('whether %j is about %j: %s', (rule, asked, isAbout) => {
  const { level } = auditedBy({ rules: [{ level: 'Metadata', ...rule }] }, asked);
  expect(level).toBe(isAbout ? 'Metadata' : 'None');
});

test('the first rule that is about it counts, and what is left out adds up', () => {
  const policy: AuditPolicy = {
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { level: 'None', verbs: ['list'] },
      { level: 'Request', omitStages: ['Panic'], omitManagedFields: false, namespaces: ['shop'] },
      { level: 'Metadata' },
    ],
  };
  expect(auditedBy(policy, node).level).toBe('None');
  expect(auditedBy(policy, pod)).toEqual({
    level: 'Request',
    omitStages: new Set(['RequestReceived', 'Panic']),
    omitManagedFields: false,
  });
  expect(auditedBy(policy, health)).toMatchObject({ level: 'Metadata', omitManagedFields: true });
});
