import { describe, expect, test } from 'vitest';
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';
import { root } from '../../api/issue.ts';
import { created, createIssues, lines, row, updateIssues } from '../../testing/resources/judge.ts';
import { deviceclassDefinition } from './deviceclass.ts';
import { resourceclaimDefinition } from './resourceclaim.ts';
import { resourceclaimtemplateDefinition } from './resourceclaimtemplate.ts';
import { resourcesliceDefinition } from './resourceslice.ts';

const requests = [
  { name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } },
  { name: 'any', firstAvailable: [{ name: 'big', deviceClassName: 'big.example.com' }] },
];
const claim = { metadata: { name: 'mine' }, spec: { devices: { requests } } };
const at = 'spec.devices';

describe('a ResourceClaim', () => {
  test('asks for one device each where it does not say how many', () => {
    const { devices } = created(resourceclaimDefinition, claim).spec;
    expect(devices?.requests?.[0]?.exactly).toMatchObject({ allocationMode: 'ExactCount', count: 1 });
    expect(devices?.requests?.[1]?.firstAvailable?.[0]).toMatchObject({ allocationMode: 'ExactCount', count: 1 });
    expect(createIssues(resourceclaimDefinition, claim)).toEqual([]);
  });

  const exactly = (part: object): object => ({
    requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com', ...part } }],
  });
  const unknownRequest =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

  test.each<[object, readonly string[]]>([
    [
      { requests: [{ name: 'x' }] },
      [`${at}.requests[0]: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`],
    ],
    [{ requests: [requests[0], requests[0]] }, [`${at}.requests[1].name: Duplicate value: "gpu"`]],
    [
      exactly({ allocationMode: 'All', count: 2 }),
      [`${at}.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'`],
    ],
    [exactly({ count: -1 }), [`${at}.requests[0].exactly.count: Invalid value: -1: must be greater than zero`]],
    [
      exactly({ allocationMode: 'Most' }),
      [`${at}.requests[0].exactly.allocationMode: Unsupported value: "Most": supported values: "All", "ExactCount"`],
    ],
    [exactly({ selectors: [{}] }), [`${at}.requests[0].exactly.selectors[0].cel: Required value`]],
    [
      exactly({ tolerations: [{ operator: 'Exists', value: 'x' }] }),
      [`${at}.requests[0].exactly.tolerations[0].value: Invalid value: "x": must be empty for operator \`Exists\``],
    ],
    [{ requests, constraints: [{ requests: ['gpu', 'any/big'], matchAttribute: 'example.com/numa' }] }, []],
    [
      { requests, constraints: [{ requests: ['any/small'], matchAttribute: 'numa' }] },
      [
        `${at}.constraints[0].requests[0]: Invalid value: "any/small": ${unknownRequest}`,
        `${at}.constraints[0].matchAttribute: Invalid value: "numa": must include a domain`,
      ],
    ],
    [
      { requests, config: [{ opaque: { driver: 'd.example.com', parameters: 'x' } }] },
      [`${at}.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object`],
    ],
    [{ requests, config: [{}] }, [`${at}.config[0].opaque: Required value`]],
  ])('%j', (devices, issues) => {
    expect(createIssues(resourceclaimDefinition, { ...claim, spec: { devices } })).toEqual(issues);
  });

  test('never asks for anything else', () => {
    const after = { ...claim, spec: { devices: { requests: [requests[0]] } } };
    const issues = updateIssues(resourceclaimDefinition, { before: claim, after });
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(/^spec: Invalid value: .*: field is immutable$/);
  });

  const allocation = {
    devices: { results: [{ request: 'gpu', driver: 'd.example.com', pool: 'p', device: 'one' }] },
  };
  const consumer = { resource: 'pods', name: 'web', uid: 'u' };

  function statusIssues(status: object, before: object = {}): readonly string[] {
    const current = { ...created(resourceclaimDefinition, claim), status: before } as ResourceClaim;
    const next = { ...current, status } as ResourceClaim;
    return lines(resourceclaimDefinition.validateStatusUpdate?.(next, current, root) ?? []);
  }

  test.each<[object, object, readonly string[]]>([
    [{ allocation, reservedFor: [consumer] }, {}, []],
    [
      { reservedFor: [consumer] },
      {},
      ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
    ],
    [{ allocation, reservedFor: [consumer, consumer] }, {}, ['status.reservedFor[1].uid: Duplicate value: "u"']],
    [
      { allocation, devices: [{ driver: 'd.example.com', pool: 'p', device: 'two' }] },
      {},
      [
        'status.devices[0]: Invalid value: {"driver":"d.example.com","pool":"p","device":"two"}: must be an allocated device in the claim',
      ],
    ],
    [
      { allocation: { devices: { results: [] } } },
      { allocation },
      ['status.allocation: Invalid value: {"devices":{"results":[]}}: field is immutable'],
    ],
    [{}, { allocation }, []],
    [
      { allocation: { devices: { results: [{ ...allocation.devices.results[0], request: 'cpu' }] } } },
      {},
      [`status.allocation.devices.results[0].request: Invalid value: "cpu": ${unknownRequest}`],
    ],
  ])('its status %j after %j', (status, before, issues) => {
    expect(statusIssues(status, before)).toEqual(issues);
  });

  test.each<[object, string]>([
    [{}, 'pending'],
    [{ allocation }, 'allocated'],
    [{ allocation, reservedFor: [consumer] }, 'allocated,reserved'],
  ])('with %j it shows as %s', (status, state) => {
    expect(row(resourceclaimDefinition, { ...claim, status })).toEqual({ State: state });
  });
});

describe('a ResourceClaimTemplate', () => {
  const template = { metadata: { name: 'mine' }, spec: { metadata: { labels: { a: 'b' } }, spec: claim.spec } };

  test('holds a claim to the same rules', () => {
    expect(createIssues(resourceclaimtemplateDefinition, template)).toEqual([]);
    expect(created(resourceclaimtemplateDefinition, template).spec.spec.devices?.requests?.[0]?.exactly?.count).toBe(1);
    const spec = { metadata: { labels: { a: '!' } }, spec: { devices: { requests: [{ name: 'x' }] } } };
    expect(
      createIssues(resourceclaimtemplateDefinition, { ...template, spec }).map((issue) => issue.split(':')[0]),
    ).toEqual(['spec.metadata.labels', 'spec.spec.devices.requests[0]']);
  });
});

describe('a DeviceClass', () => {
  test.each<[object, readonly string[]]>([
    [{ selectors: [{ cel: { expression: 'true' } }], extendedResourceName: 'example.com/gpu' }, []],
    [
      { extendedResourceName: 'gpu' },
      ['spec.extendedResourceName: Invalid value: "gpu": must be a valid extended resource name'],
    ],
    [{ config: [{ opaque: { driver: '', parameters: {} } }] }, ['spec.config[0].opaque.driver: Required value']],
  ])('%j', (spec, issues) => {
    const found = createIssues(deviceclassDefinition, { metadata: { name: 'gpu' }, spec });
    expect(found.slice(0, Math.max(1, issues.length))).toEqual(issues);
  });
});

describe('a ResourceSlice', () => {
  const spec = {
    driver: 'd.example.com',
    pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
    nodeName: 'node-1',
    devices: [{ name: 'one', attributes: { model: { string: 'A' } }, capacity: { memory: { value: '8Gi' } } }],
  };
  const body = { metadata: { name: 'slice' }, spec };
  const oneOf = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  const device = (part: object): object => ({ devices: [{ name: 'one', ...part }] });

  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ nodeName: undefined }, [`spec: Required value: ${oneOf}`]],
    [
      { allNodes: true },
      [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${oneOf}, but multiple fields are set`],
    ],
    [
      { pool: { ...spec.pool, resourceSliceCount: 0 } },
      ['spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
    ],
    [{ devices: [spec.devices[0], spec.devices[0]] }, ['spec.devices[1].name: Duplicate value: "one"']],
    [
      device({ attributes: { model: {} } }),
      ['spec.devices[0].attributes[model]: Required value: exactly one value must be specified'],
    ],
    [
      device({ attributes: { v: { version: '1.2' } } }),
      [
        'spec.devices[0].attributes[v].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
      ],
    ],
    [
      device({ taints: [{ key: 'broken', effect: 'Explode' }] }),
      ['spec.devices[0].taints[0].effect: Unsupported value: "Explode": supported values: "NoExecute", "NoSchedule"'],
    ],
    [
      device({ consumesCounters: [{ counterSet: 'x', counters: { a: { value: '1' } } }] }),
      [
        'spec.devices[0].consumesCounters[0].counterSet: Invalid value: "x": must reference a counterSet defined in the ResourceSlice sharedCounters',
      ],
    ],
    [
      {
        ...device({ consumesCounters: [{ counterSet: 'x', counters: { b: { value: '1' } } }] }),
        sharedCounters: [{ name: 'x', counters: { a: { value: '1' } } }],
      },
      [
        'spec.devices[0].consumesCounters[0].counters: Invalid value: "b": must reference a counter defined in the ResourceSlice sharedCounters',
      ],
    ],
    [
      device({ allNodes: true }),
      [
        'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      ],
    ],
    [
      device({ bindingConditions: ['a'] }),
      [
        'spec.devices[0].bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use bindingConditions',
      ],
    ],
    [
      device({ capacity: { m: { value: '8', requestPolicy: { default: '1' } } } }),
      ['spec.devices[0].capacity[m].requestPolicy: Forbidden: allowMultipleAllocations must be true'],
    ],
    [
      device({
        allowMultipleAllocations: true,
        capacity: { m: { value: '8', requestPolicy: { default: '3', validValues: ['4', '2'] } } },
      }),
      [
        'spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: "2": values must be sorted in ascending order',
        'spec.devices[0].capacity[m].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
      ],
    ],
    [
      device({
        allowMultipleAllocations: true,
        capacity: { m: { value: '8', requestPolicy: { default: '3', validRange: { min: '2', max: '9', step: '2' } } } },
      }),
      [
        'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "9": max is larger than capacity value: 8',
        'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "3": value is not a multiple of a given step (2) from (2)',
        'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "9": value is not a multiple of a given step (2) from (2)',
      ],
    ],
  ])('%j', (part, issues) => {
    expect(createIssues(resourcesliceDefinition, { ...body, spec: { ...spec, ...part } })).toEqual(issues);
  });

  test('stays with its driver, its pool and its node', () => {
    const after = { ...body, spec: { ...spec, driver: 'other.example.com', nodeName: 'node-2' } };
    expect(updateIssues(resourcesliceDefinition, { before: body, after })).toEqual([
      'spec.driver: Invalid value: "other.example.com": field is immutable',
      'spec.nodeName: Invalid value: "node-2": field is immutable',
    ]);
  });
});
