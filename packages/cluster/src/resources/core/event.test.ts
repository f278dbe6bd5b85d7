import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event as CoreEvent } from '../../api/generated/core-v1.ts';
import { equal } from '../../base/equal.ts';
import { createIssues, made, row } from '../../testing/resources/judge.ts';
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
    ['reportingController', '', 'reportingController: Required value'],
    ['reportingInstance', '', 'reportingInstance: Required value'],
    ['action', undefined, 'action: Required value'],
    ['reason', 'r'.repeat(129), 'reason: Invalid value: "": can have at most 128 characters'],
    ['note', 'n'.repeat(1025), 'note: Invalid value: "": can have at most 1024 characters'],
    ['type', 'Odd', 'type: Unsupported value: "Odd": supported values: "Normal", "Warning"'],
  ])('%s %j', (field, value, issue) => {
    expect(createIssues(eventsEventDefinition, { ...body, [field]: value })).toEqual([issue]);
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
      series: fc.option(fc.record({ count: fc.nat(), lastObservedTime: fc.string() }), { nil: undefined }),
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
