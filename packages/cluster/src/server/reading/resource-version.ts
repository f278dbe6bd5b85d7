import type { Issue } from '../../api/issue.ts';
import { root } from '../../api/issue.ts';
import type { ListOptions, WatchOperation } from '../../api/operation.ts';
import { badRequest, failure, invalid, type Status, StatusError } from '../../api/status.ts';
import { limitTime } from '../../base/limit.ts';
import type { ServerContext } from '../context/context.ts';

const versionMax = 9_007_199_254_740_991;

/** Undefined when none is given. Throws what `refuse` makes of text that is no version. */
export function parseVersion(
  text: string | undefined,
  refuse: (text: string) => Status = invalidVersion,
): number | undefined {
  if (text === undefined || text === '') return undefined;
  const version = /^\d{1,20}$/.test(text) ? Number(text) : Number.NaN;
  if (!(version <= versionMax)) throw new StatusError(refuse(text));
  return version;
}

export function invalidVersion(text: string): Status {
  return badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}

/** A version that this server has not reached: given by another server, or by this one before a restore. */
export function versionTooLarge(version: number, current: number): Status {
  return failure(504, 'Timeout', `Timeout: Too large resource version: ${version}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** Waits until the store has reached the revision, at most a few seconds; then refuses with 504. */
export async function waitForRevision(
  { store, outsideClock: clock, limits }: ServerContext,
  revision: number,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  if (store.revision >= revision) return;
  const limit = limitTime(limits.freshWaitMs, { clock, signal });
  try {
    for await (const event of store.subscribe({ prefix: '/', from: store.revision, signal: limit.signal }))
      if ('expired' in event || event.stored.revision >= revision) break;
  } catch (error) {
    if (!limit.signal.aborted) throw error;
  } finally {
    limit.release();
  }
  signal.throwIfAborted();
  if (store.revision < revision) throw new StatusError(versionTooLarge(revision, store.revision));
}

/** Combinations of list options that contradict each other (422). */
export function checkListOptions(options: ListOptions & WatchOperation['options']): void {
  const issues = [...listIssues(options)];
  if (issues.length > 0) throw invalidOptions(issues);
}

export function checkWatchOptions(options: WatchOperation['options']): void {
  const issues = [...watchIssues(options)];
  if (issues.length > 0) throw invalidOptions(issues);
}

function invalidOptions(issues: readonly Issue[]): StatusError {
  return new StatusError(invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', issues));
}

function* listIssues(options: ListOptions & WatchOperation['options']): Iterable<Issue> {
  const { resourceVersion = '', resourceVersionMatch: match = '' } = options;
  const at = root('resourceVersionMatch');
  if (match !== '') {
    if (resourceVersion === '')
      yield at.forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided');
    if ((options.continue ?? '') !== '')
      yield at.forbidden('resourceVersionMatch is forbidden when continue is provided');
    if (match !== 'Exact' && match !== 'NotOlderThan') yield at.notSupported(match, ['Exact', 'NotOlderThan', '']);
    if (match === 'Exact' && resourceVersion === '0')
      yield at.forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (options.sendInitialEvents !== undefined)
    yield root('sendInitialEvents').forbidden('sendInitialEvents is forbidden for list');
}

function* watchIssues(options: WatchOperation['options']): Iterable<Issue> {
  const { resourceVersionMatch: match = '', sendInitialEvents } = options;
  const at = root('resourceVersionMatch');
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    yield at.forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (match === '') return;
  if (sendInitialEvents === undefined)
    yield at.forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  if (match !== 'NotOlderThan') yield at.notSupported(match, ['NotOlderThan']);
  if ((options.continue ?? '') !== '')
    yield at.forbidden('resourceVersionMatch is forbidden when continue is provided');
}
