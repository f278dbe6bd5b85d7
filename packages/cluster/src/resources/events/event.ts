import type { Event as CoreEvent } from '../../api/generated/core-v1.ts';
import type { Event } from '../../api/generated/events-v1.ts';
import { events, eventsEvents } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { eventColumns } from '../core/event.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { requiredOneOf } from '../validation/fields.ts';
import { qualifiedName } from '../validation/names.ts';

/** The newer face of events; what is stored is the core form, see {@link toCoreEvent}. */
export const eventsEventDefinition: ResourceDefinition<Event> = defineResource(eventsEvents, {
  schema: 'io.k8s.api.events.v1.Event',
  traits: { createsOnUpdate: true, isCollected: false },
  shortNames: ['ev'],
  columns: eventColumns(toCoreEvent),
  columnsComplete: true,
  storedAs: {
    resource: events,
    toStored: toCoreEvent,
    fromStored: (stored) => toEventsEvent(stored as CoreEvent),
  },
  selectableFields: [
    { path: 'reason', of: ({ reason }) => reason ?? '' },
    { path: 'reportingController', of: ({ reportingController }) => reportingController ?? '' },
    { path: 'type', of: ({ type }) => type ?? '' },
    { path: 'regarding.kind', of: ({ regarding }) => regarding?.kind ?? '' },
    { path: 'regarding.name', of: ({ regarding }) => regarding?.name ?? '' },
    { path: 'regarding.namespace', of: ({ regarding }) => regarding?.namespace ?? '' },
    { path: 'regarding.uid', of: ({ regarding }) => regarding?.uid ?? '' },
    { path: 'regarding.apiVersion', of: ({ regarding }) => regarding?.apiVersion ?? '' },
    { path: 'regarding.resourceVersion', of: ({ regarding }) => regarding?.resourceVersion ?? '' },
    { path: 'regarding.fieldPath', of: ({ regarding }) => regarding?.fieldPath ?? '' },
  ],
  validate: validateEvent,
});

const nameBytesMax = 128;
const noteBytesMax = 1024;

function* validateEvent(event: Event, at: FieldPath): Iterable<Issue> {
  // An event of the old form that is updated through this door has no eventTime and keeps the old rules.
  if (event.deprecatedFirstTimestamp !== undefined && event.eventTime === undefined) return;
  if ((event.eventTime ?? '') === '') yield at('eventTime').required();
  if ((event.reportingController ?? '') === '') yield at('reportingController').required();
  else yield* qualifiedName(event.reportingController ?? '', at('reportingController'));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? '';
    if (value === '') yield at(field).required();
    else if (value.length > nameBytesMax) yield at(field).invalid('', `can have at most ${nameBytesMax} characters`);
  }
  if (Buffer.byteLength(event.note ?? '') > noteBytesMax)
    yield at('note').invalid('', `can have at most ${noteBytesMax} characters`);
  yield* requiredOneOf(event.type, ['Normal', 'Warning'], at('type'));
  const namespace = event.regarding?.namespace ?? '';
  if (namespace !== '' && namespace !== event.metadata.namespace)
    yield at('regarding', 'namespace').invalid(namespace, 'does not match event.namespace');
}

/** The core/v1 form of the same event. */
export function toCoreEvent(event: Event): CoreEvent {
  const {
    regarding,
    note,
    reportingController,
    deprecatedCount,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedSource,
    eventTime,
    ...shared
  } = event;
  return {
    ...shared,
    apiVersion: 'v1',
    involvedObject: regarding ?? {},
    ...(eventTime !== undefined && eventTime !== null && { eventTime }),
    ...(note !== undefined && { message: note }),
    ...(reportingController !== undefined && { reportingComponent: reportingController }),
    ...(deprecatedCount !== undefined && { count: deprecatedCount }),
    ...(deprecatedFirstTimestamp !== undefined && { firstTimestamp: deprecatedFirstTimestamp }),
    ...(deprecatedLastTimestamp !== undefined && { lastTimestamp: deprecatedLastTimestamp }),
    ...(deprecatedSource !== undefined && { source: deprecatedSource }),
  };
}

/** The events.k8s.io/v1 form of a stored event; nothing is lost on the way there and back. */
export function toEventsEvent(event: CoreEvent): Event {
  const {
    involvedObject,
    message,
    reportingComponent,
    count,
    firstTimestamp,
    lastTimestamp,
    source,
    series,
    ...shared
  } = event;
  return {
    ...shared,
    apiVersion: 'events.k8s.io/v1',
    regarding: involvedObject,
    ...(series !== undefined && {
      series: { count: series.count ?? 0, lastObservedTime: series.lastObservedTime ?? '' },
    }),
    ...(message !== undefined && { note: message }),
    ...(reportingComponent !== undefined && { reportingController: reportingComponent }),
    ...(count !== undefined && { deprecatedCount: count }),
    ...(firstTimestamp !== undefined && { deprecatedFirstTimestamp: firstTimestamp }),
    ...(lastTimestamp !== undefined && { deprecatedLastTimestamp: lastTimestamp }),
    ...(source !== undefined && { deprecatedSource: source }),
    // Events of the old form have no eventTime, although the field is required in this one.
  } as Event;
}
