import type { Event as CoreEvent } from '../../api/generated/core-v1.ts';
import type { Event } from '../../api/generated/events-v1.ts';
import { events, eventsEvents } from '../../api/generated/kinds.ts';
import { eventColumns } from '../core/event.ts';
import { changedEventIssues, eventIssues, newEventIssues } from '../core/event-rules.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';

/** The newer face of events; what is stored is the core form, see {@link toCoreEvent}. */
export const eventsEventDefinition: ResourceDefinition<Event> = defineResource(eventsEvents, {
  schema: 'io.k8s.api.events.v1.Event',
  traits: { createsOnUpdate: true, isCollected: false, qualifiesFinalizers: false },
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
  // Its rules speak of what is kept.
  refusedAs: events,
  validate: (event, at) => eventIssues(toCoreEvent(event), at, { controller: 'reportingController' }),
  validateCreate: (event, at) => newEventIssues(toCoreEvent(event), at),
  validateUpdate: (next, current, at) => changedEventIssues(toCoreEvent(next), toCoreEvent(current), at),
});

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
      // A time that nobody gave is none: an empty one could not be read back.
      series: {
        count: series.count ?? 0,
        ...(series.lastObservedTime !== undefined && { lastObservedTime: series.lastObservedTime }),
      },
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
