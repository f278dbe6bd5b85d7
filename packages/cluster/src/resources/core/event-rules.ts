/** What upstream holds events to, in words of the form in which they are kept. */
import type { Event } from '../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { qualifiedName } from '../validation/names.ts';

const lettersMax = 128;
const messageBytesMax = 1024;
const types: readonly string[] = ['Normal', 'Warning'];

interface EventForm {
  /** What the form in which the event came in calls who reports it. */
  readonly controller: 'reportingComponent' | 'reportingController';
}

/** What holds for both forms. Who gives an `eventTime` says that it is an event of the new kind, of which more is asked. */
export function* eventIssues(event: Event, at: FieldPath, { controller }: EventForm): Iterable<Issue> {
  const isNew = hasTime(event.eventTime);
  const own = event.metadata.namespace ?? '';
  const { namespace = '' } = event.involvedObject ?? {};
  // Events about what is in no namespace stand in the default one.
  const isInPlace =
    namespace === '' ? own === 'default' || (isNew && own === 'kube-system') : isNew || own === namespace;
  if (!isInPlace) yield at('involvedObject', 'namespace').invalid(namespace, 'does not match event.namespace');
  if (!isNew) return;
  const { reportingComponent = '' } = event;
  if (reportingComponent === '') yield at(controller).required();
  yield* qualifiedName(reportingComponent, at(controller));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const length = Buffer.byteLength(event[field] ?? '');
    if (length === 0) yield at(field).required();
    if (length > lettersMax) yield at(field).invalid('', `can have at most ${lettersMax} characters`);
  }
  if (Buffer.byteLength(event.message ?? '') > messageBytesMax)
    yield at('message').invalid('', `can have at most ${messageBytesMax} characters`);
}

/** What a new event of `events.k8s.io` has to have besides, and what it may no longer have. */
export function* newEventIssues(event: Event, at: FieldPath): Iterable<Issue> {
  yield* seriesIssues(event, at);
  if (!hasTime(event.eventTime)) yield at('eventTime').required();
  const { type = '', count = 0, source } = event;
  if (!types.includes(type)) yield at('type').invalid('', `has invalid value: ${type}`);
  const isGone = 'needs to be unset';
  if (hasTime(event.firstTimestamp)) yield at('firstTimestamp').invalid('', isGone);
  if (hasTime(event.lastTimestamp)) yield at('lastTimestamp').invalid('', isGone);
  if (count !== 0) yield at('count').invalid('', isGone);
  if ((source?.component ?? '') !== '' || (source?.host ?? '') !== '') yield at('source').invalid('', isGone);
}

/** Of an event of `events.k8s.io` that has happened, only how often it has can change. */
export function* changedEventIssues(next: Event, current: Event, at: FieldPath): Iterable<Issue> {
  if (!equal(next.series, current.series)) yield* seriesIssues(next, at);
  for (const [field, path = field] of fixed)
    if (!equal(given(next[field]), given(current[field])))
      yield at(path).invalid(field === 'count' ? (next.count ?? 0) : next[field], 'field is immutable');
}

const fixed: readonly (readonly [field: keyof Event, path?: string])[] = [
  ['involvedObject'],
  ['reason'],
  ['message'],
  ['source'],
  ['firstTimestamp'],
  ['lastTimestamp'],
  ['count'],
  // Told twice, as upstream.
  ['reason'],
  ['type'],
  ['eventTime'],
  ['action'],
  ['related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance'],
];

function* seriesIssues({ series }: Event, at: FieldPath): Iterable<Issue> {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) yield at('series', 'count').invalid('', 'should be at least 2');
  if (!hasTime(series.lastObservedTime)) yield at('series', 'lastObservedTime').required();
}

function hasTime(time: string | null | undefined): boolean {
  return time !== undefined && time !== null && time !== '';
}

/** What says nothing counts as what is not there. */
function given(value: unknown): unknown {
  if (value === null || value === '' || value === 0) return undefined;
  if (typeof value !== 'object') return value;
  const members = Object.entries(value as object).filter(([, member]) => given(member) !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
