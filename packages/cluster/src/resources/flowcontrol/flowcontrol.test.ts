import { describe, expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { flowschemaDefinition } from './flowschema.ts';
import { prioritylevelconfigurationDefinition } from './prioritylevelconfiguration.ts';

describe('a FlowSchema', () => {
  const rule = {
    subjects: [{ kind: 'User', user: { name: '*' } }],
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  };
  const spec = { priorityLevelConfiguration: { name: 'global-default' }, rules: [rule] };
  const body = { metadata: { name: 'mine' }, spec };

  test('comes late unless it says when', () => {
    expect(created(flowschemaDefinition, body).spec.matchingPrecedence).toBe(1_000);
    expect(createIssues(flowschemaDefinition, body)).toEqual([]);
  });

  const of = (subject: object): object => ({ rules: [{ ...rule, subjects: [subject] }] });
  const paths = (...nonResourceURLs: readonly string[]): object => ({
    rules: [{ subjects: rule.subjects, nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] }],
  });
  const resources = (part: object): object => ({
    rules: [{ ...rule, resourceRules: [{ ...rule.resourceRules[0], ...part }] }],
  });

  test.each<[object, readonly string[]]>([
    [{ matchingPrecedence: -1 }, ['spec.matchingPrecedence: Invalid value: -1: must be a positive value']],
    [{ matchingPrecedence: 10_001 }, ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000']],
    [
      { matchingPrecedence: 1 },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      { priorityLevelConfiguration: {} },
      ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
    ],
    [
      of({ kind: 'Robot' }),
      [
        'spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      ],
    ],
    [
      of({ kind: 'Group' }),
      ["spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'"],
    ],
    [
      of({ kind: 'User', user: { name: 'a' }, group: { name: 'b' } }),
      ["spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'"],
    ],
    [
      of({ kind: 'ServiceAccount', serviceAccount: { name: '*' } }),
      [
        'spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account',
      ],
    ],
    [
      resources({ verbs: ['*', 'get'] }),
      [
        'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
      ],
    ],
    [
      resources({ namespaces: [], clusterScope: false }),
      [
        'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
      ],
    ],
    [resources({ namespaces: [], clusterScope: true }), []],
    [paths('/healthz', '/debug/*', '/'), []],
    [
      paths('healthz', '/a b', '/a//b', '/a*'),
      [
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "healthz": must start with slash',
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a b": must not contain white-space',
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a//b": must not contain double slash',
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/a*": wildcard can only do suffix matching',
      ],
    ],
    [
      { rules: [{}] },
      [
        'spec.rules[0].subjects: Required value: subjects must contain at least one value',
        'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      ],
    ],
  ])('%j', (part, issues) => {
    expect(createIssues(flowschemaDefinition, { ...body, spec: { ...spec, ...part } })).toEqual(issues);
  });

  test('shows its level and whether that is missing', () => {
    const status = { conditions: [{ type: 'Dangling', status: 'True' }] };
    expect(row(flowschemaDefinition, { ...body, status })).toMatchObject({
      PriorityLevel: 'global-default',
      DistinguisherMethod: '<none>',
      MissingPL: 'True',
    });
  });
});

describe('a PriorityLevelConfiguration', () => {
  const limited = { limitResponse: { type: 'Queue', queuing: {} } };
  const body = { metadata: { name: 'mine' }, spec: { type: 'Limited', limited } };

  test('gets the usual shares and queues', () => {
    expect(created(prioritylevelconfigurationDefinition, body).spec.limited).toEqual({
      nominalConcurrencyShares: 30,
      lendablePercent: 0,
      limitResponse: { type: 'Queue', queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
    });
    expect(createIssues(prioritylevelconfigurationDefinition, body)).toEqual([]);
  });

  const queuing = (given: object): object => ({ limited: { limitResponse: { type: 'Queue', queuing: given } } });

  test.each<[object, string]>([
    [
      { type: 'Exempt', limited: undefined },
      "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
    ],
    [{ limited: undefined }, 'spec.limited: Required value: must not be empty when type is Limited'],
    [{ exempt: {} }, 'spec.exempt: Forbidden: must be nil if the type is Limited'],
    [
      { limited: { limitResponse: { type: 'Drop' } } },
      'spec.limited.limitResponse.type: Unsupported value: "Drop": supported values: "Queue", "Reject"',
    ],
    [
      { limited: { limitResponse: { type: 'Reject', queuing: {} } } },
      'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
    ],
    [
      { limited: { ...limited, lendablePercent: 101 } },
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
    ],
    [
      queuing({ queues: 2 }),
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: should not be greater than queues (2)',
    ],
    [
      queuing({ queues: 1_000_000 }),
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 1000000 and handSize 8 should not be greater than 60',
    ],
    [
      queuing({ queueLengthLimit: -1 }),
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
    ],
  ])('%j is refused', (part, issue) => {
    expect(createIssues(prioritylevelconfigurationDefinition, { ...body, spec: { ...body.spec, ...part } })).toEqual([
      issue,
    ]);
  });

  test('shows its queues, or that it has none', () => {
    expect(
      row(prioritylevelconfigurationDefinition, { metadata: { name: 'exempt' }, spec: { type: 'Exempt' } }),
    ).toEqual({
      Name: 'exempt',
      Type: 'Exempt',
      NominalConcurrencyShares: '<none>',
      Queues: '<none>',
      HandSize: '<none>',
      QueueLengthLimit: '<none>',
      Age: '5m',
    });
  });
});
