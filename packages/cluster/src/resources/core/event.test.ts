import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event as CoreEvent } from '../../api/generated/core-v1.ts';
import { equal } from '../../base/equal.ts';
import { createIssues, made, row, updateIssues } from '../../testing/resources/judge.ts';
import { eventsEventDefinition, toCoreEvent, toEventsEvent } from '../events/event.ts';
import { eventDefinition } from './event.ts';

const pod = { kind: 'Pod', namespace: 'default', name: 'web-0', fieldPath: 'spec.containers{app}' };

describe('the table', () => {
  test('of a repeated event', () => {
    const body = {
      involvedObject: pod,
      type: 'Warning',
      reason: 'BackOff',
      message: 'restarting\n',
      count: 7,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:04:30Z',
      source: { component: 'kubelet', host: 'node-1' },
    };
    expect(row(eventDefinition, body)).toEqual({
      'Last Seen': '30s',
      Type: 'Warning',
      Reason: 'BackOff',
      Object: 'pod/web-0',
      Subobject: 'spec.containers{app}',
      Source: 'kubelet, node-1',
      Message: 'restarting',
      'First Seen': '5m',
      Count: 7,
      Name: 'web',
    });
  });

  test('of a single event of the new form', () => {
    const body = {
      involvedObject: { kind: 'Node' },
      eventTime: '2026-01-01T00:04:00.000000Z',
      reportingComponent: 'scheduler',
    };
    expect(row(eventDefinition, body)).toMatchObject({
      'Last Seen': '60s',
      'First Seen': '60s',
      Object: 'node',
      Source: 'scheduler',
      Count: 1,
    });
  });

  test('of a series counts the series', () => {
    const series = { count: 12, lastObservedTime: '2026-01-01T00:04:55.000000Z' };
    expect(row(eventDefinition, { involvedObject: pod, count: 1, series })).toMatchObject({
      'Last Seen': '5s',
      Count: 12,
    });
  });

  test('of a series that says nothing says nothing', () => {
    const body = { involvedObject: pod, count: 3, lastTimestamp: '2026-01-01T00:04:30Z', series: {} };
    expect(row(eventDefinition, body)).toMatchObject({ 'Last Seen': '<unknown>', Count: 0 });
  });

  test('names the instance also of a component of the old form', () => {
    const body = { involvedObject: pod, source: { component: 'kubelet' }, reportingInstance: 'node-1' };
    expect(row(eventDefinition, body)).toMatchObject({ Source: 'kubelet, node-1' });
  });

  test('is the same through both doors', () => {
    const core = made(eventDefinition, { involvedObject: pod, type: 'Normal', reason: 'R', message: 'm', count: 2 });
    const { metadata: _metadata, ...body } = toEventsEvent(core);
    expect(row(eventsEventDefinition, body)).toEqual(
      row(eventDefinition, { involvedObject: pod, type: 'Normal', reason: 'R', message: 'm', count: 2 }),
    );
  });
});

test('an event stands in the namespace of what it is about', () => {
  const issue = 'involvedObject.namespace: Invalid value: "other": does not match event.namespace';
  expect(createIssues(eventDefinition, { involvedObject: pod })).toEqual([]);
  expect(createIssues(eventDefinition, { involvedObject: { kind: 'Node' } })).toEqual([]);
  expect(createIssues(eventDefinition, { involvedObject: { ...pod, namespace: 'other' } })).toEqual([issue]);
});

describe('the core face', () => {
  const old = { involvedObject: pod, type: 'Odd', message: 'm'.repeat(2000), reason: 'r'.repeat(200) };

  test('asks little of an event of the old kind', () => {
    expect(createIssues(eventDefinition, old)).toEqual([]);
    expect(createIssues(eventDefinition, { ...old, metadata: { name: 'A B' } })).toEqual([]);
    expect(createIssues(eventDefinition, { ...old, involvedObject: { kind: 'Pod', namespace: 'other' } })).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
  });

  test('and as much of a new one as the other does', () => {
    expect(
      createIssues(eventDefinition, { ...old, eventTime: '2026-01-01T00:00:00.000000Z', reportingComponent: 'x' }),
    ).toEqual([
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Invalid value: "": can have at most 128 characters',
      'message: Invalid value: "": can have at most 1024 characters',
    ]);
  });
});

describe('the events.k8s.io face', () => {
  const body = {
    eventTime: '2026-01-01T00:00:00.000000Z',
    regarding: pod,
    reportingController: 'example.com/agent',
    reportingInstance: 'agent-0',
    action: 'Scaling',
    reason: 'Scaled',
    type: 'Normal',
    note: 'done',
  };

  test('has everything', () => expect(createIssues(eventsEventDefinition, body)).toEqual([]));

  test.each([
    ['eventTime', undefined, 'eventTime: Required value'],
    ['reportingController', 'a b', expect.stringMatching(/^reportingController: Invalid value: "a b": name part must/)],
    ['reportingInstance', '', 'reportingInstance: Required value'],
    ['action', undefined, 'action: Required value'],
    ['reason', 'r'.repeat(129), 'reason: Invalid value: "": can have at most 128 characters'],
    ['note', 'n'.repeat(1025), 'message: Invalid value: "": can have at most 1024 characters'],
    ['type', 'Odd', 'type: Invalid value: "": has invalid value: Odd'],
    ['deprecatedCount', 1, 'count: Invalid value: "": needs to be unset'],
    ['deprecatedFirstTimestamp', '2026-01-01T00:00:00Z', 'firstTimestamp: Invalid value: "": needs to be unset'],
    ['deprecatedLastTimestamp', '2026-01-01T00:00:00Z', 'lastTimestamp: Invalid value: "": needs to be unset'],
    ['deprecatedSource', { component: 'x' }, 'source: Invalid value: "": needs to be unset'],
    ['series', { count: 1, lastObservedTime: body.eventTime }, 'series.count: Invalid value: "": should be at least 2'],
    ['series', { count: 2 }, 'series.lastObservedTime: Required value'],
    ['regarding', {}, undefined],
    ['regarding', { kind: 'Pod', namespace: 'other' }, undefined],
  ])('%s %j', (field, value, issue) => {
    const issues = createIssues(eventsEventDefinition, { ...body, [field]: value });
    expect(issues).toEqual(issue === undefined ? [] : [issue]);
  });

  test('of what has happened only how often it has can change', () => {
    const series = { count: 2, lastObservedTime: body.eventTime };
    const changed = (change: object) =>
      updateIssues(eventsEventDefinition, { before: body, after: { ...body, ...change } });
    expect(changed({ series, metadata: { labels: { a: 'b' } } })).toEqual([]);
    expect(changed({ series: { ...series, count: 1 } })).toEqual([
      'series.count: Invalid value: "": should be at least 2',
    ]);
    expect(changed({ note: 'other', reportingController: 'x', related: {}, deprecatedCount: 0 })).toEqual([
      'message: Invalid value: "other": field is immutable',
      'reportingController: Invalid value: "x": field is immutable',
    ]);
  });

  test('nothing is lost between the two', () => {
    const text = fc.option(fc.string(), { nil: undefined });
    const parts = fc.record({
      reason: text,
      message: text,
      type: text,
      action: text,
      eventTime: text,
      firstTimestamp: text,
      lastTimestamp: text,
      reportingComponent: text,
      reportingInstance: text,
      count: fc.option(fc.nat(), { nil: undefined }),
      source: fc.option(fc.record({ component: fc.string() }), { nil: undefined }),
      series: fc.option(fc.record({ count: fc.nat(), lastObservedTime: fc.string() }, { requiredKeys: ['count'] }), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(parts, (given) => {
        const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const event: CoreEvent = made(eventDefinition, { involvedObject: pod, ...known });
        expect(equal(toCoreEvent(toEventsEvent(event)), event)).toBe(true);
      }),
    );
  });

  test('is kept in the core form', () => {
    const event = made(eventsEventDefinition, body);
    expect(eventsEventDefinition.storedAs?.resource).toMatchObject({ group: '', version: 'v1', resource: 'events' });
    expect(eventsEventDefinition.storedAs?.toStored(event)).toMatchObject({
      apiVersion: 'v1',
      involvedObject: pod,
      message: 'done',
      reportingComponent: 'example.com/agent',
    });
  });
});
