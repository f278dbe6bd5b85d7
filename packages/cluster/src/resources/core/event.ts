import type { Event } from '../../api/generated/core-v1.ts';
import { events } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { ageOf, column } from '../columns.ts';
import { type Column, defineResource, type ResourceDefinition, type SelectableField } from '../resource.ts';
import { pathSegmentName } from '../validation/names.ts';
import { eventIssues } from './event-rules.ts';

/** Events are kept in this form; the `events.k8s.io` form is another face of the same object. */
export const eventDefinition: ResourceDefinition<Event> = defineResource(events, {
  schema: 'io.k8s.api.core.v1.Event',
  traits: { createsOnUpdate: true, isCollected: false, qualifiesFinalizers: false },
  shortNames: ['ev'],
  columns: eventColumns((event: Event) => event),
  columnsComplete: true,
  selectableFields: [
    ...eventFields('involvedObject'),
    { path: 'reason', of: ({ reason }) => reason ?? '' },
    { path: 'reportingComponent', of: ({ reportingComponent }) => reportingComponent ?? '' },
    { path: 'source', of: ({ source, reportingComponent }) => source?.component || reportingComponent || '' },
    { path: 'type', of: ({ type }) => type ?? '' },
  ],
  validateName: pathSegmentName,
  validate: (event, at) => eventIssues(event, at, { controller: 'reportingComponent' }),
});

function eventFields(prefix: 'involvedObject'): readonly SelectableField<Event>[] {
  const fields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;
  return fields.map((field) => ({ path: `${prefix}.${field}`, of: (event) => event[prefix]?.[field] ?? '' }));
}

/** The table of both forms; `coreOf` gives the core form. */
export function eventColumns<T extends KubeObject>(coreOf: (object: T) => Event): readonly Column<T>[] {
  const text = (name: string, of: (event: Event, nowMs: number) => string, wide = false): Column<T> =>
    column<T>(name, (object, nowMs) => of(coreOf(object), nowMs), { wide });
  return [
    text('Last Seen', (event, nowMs) => ageOf(lastSeen(event), nowMs)),
    text('Type', ({ type }) => type ?? ''),
    text('Reason', ({ reason }) => reason ?? ''),
    text('Object', targetText),
    text('Subobject', ({ involvedObject }) => involvedObject?.fieldPath ?? '', true),
    text('Source', sourceText, true),
    text('Message', ({ message }) => (message ?? '').trim()),
    text('First Seen', (event, nowMs) => ageOf(firstSeen(event), nowMs), true),
    {
      ...text('Count', (event) => String(countOf(event)), true),
      type: 'string',
      of: (object) => countOf(coreOf(object)),
    },
    { ...text('Name', ({ metadata }) => metadata.name, true), format: 'name' },
  ];
}

function firstSeen({ firstTimestamp, eventTime }: Event): string | undefined {
  return firstTimestamp ?? eventTime;
}

function lastSeen(event: Event): string | undefined {
  // A series counts for itself, also where it says nothing.
  if (event.series !== undefined) return event.series.lastObservedTime;
  return event.lastTimestamp ?? firstSeen(event);
}

function countOf({ series, count }: Event): number {
  if (series !== undefined) return series.count ?? 0;
  return count === undefined || count === 0 ? 1 : count;
}

function targetText({ involvedObject }: Event): string {
  const kind = (involvedObject?.kind ?? '').toLowerCase();
  const name = involvedObject?.name ?? '';
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || '';
  const host = source?.host || reportingInstance || '';
  return host === '' ? component : `${component}, ${host}`;
}
