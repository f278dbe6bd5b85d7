import type { KubeObject } from '../../api/meta.ts';
import type { Operation, Outcome } from '../../api/operation.ts';
import { isObject, type JsonObject, without } from '../../api/record.ts';
import { internalError, type Status } from '../../api/status.ts';
import { type Clock, toMicroTimestamp } from '../../base/clock.ts';
import { type Random, randomUuid } from '../../base/random.ts';
import type { AuditedAccess, Auditor, AuditTrail, Received } from '../context/auditor.ts';
import { type AuditEvent, type AuditObject, auditObject, auditStatus, auditUser } from './event.ts';
import { withOpenUrls } from './open-urls.ts';
import { type Audited, type AuditPolicy, type AuditStage, auditedBy } from './policy.ts';
import { openAnnotations, openStatus, type Secrecy, secrecyOf, withoutSecrets } from './redact.ts';

export interface AuditOptions {
  /** How much is written down of what. */
  readonly policy: AuditPolicy;
  /** Gets every event as it happens, and must not wait: the request does. What it throws is reported and survived. */
  readonly sink: (event: AuditEvent) => void;
}

export interface AuditorOptions extends AuditOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly report?: ((problem: { readonly message: string; readonly error: unknown }) => void) | undefined;
}

/** Longer lists are left out of their event: to write a line must not hold up everybody. */
const itemsMax = 500;
const truncated = 'audit.k8s.io/truncated';

export function createAuditor(options: AuditorOptions): Auditor {
  let hasFailed = false;
  const tell = (event: AuditEvent): void => {
    try {
      options.sink(withOpenUrls(event));
    } catch (error) {
      if (!hasFailed) options.report?.({ message: 'what is audited cannot be told', error });
      hasFailed = true;
    }
  };
  return { begins: (received) => trailOf(received, { ...options, tell }) };
}

interface Telling extends AuditorOptions {
  tell(event: AuditEvent): void;
}

/** What is known of one request so far. */
interface Known {
  audited: Audited | undefined;
  secrecy: Secrecy | undefined;
  event: Omit<AuditEvent, 'stage' | 'stageTimestamp'> | undefined;
  annotations: Record<string, string> | undefined;
}

interface Page {
  readonly known: Known;
  add(part: Partial<AuditEvent>): void;
  annotate(key: string, value: string): void;
  body(field: BodyField, value: unknown): void;
  tell(stage: AuditStage, atMs: number): void;
}

type BodyField = 'requestObject' | 'responseObject';

function createPage(told: (event: AuditEvent) => void): Page {
  const known: Known = { audited: undefined, secrecy: undefined, event: undefined, annotations: undefined };
  const page: Page = {
    known,
    add(part) {
      if (known.event !== undefined) known.event = { ...known.event, ...part };
    },
    annotate(key, value) {
      known.annotations ??= {};
      if (!Object.hasOwn(known.annotations, key)) known.annotations[key] = value;
    },
    body(field, value) {
      const shown = keeps(known.audited, field) ? shownBody(value, known) : undefined;
      if (shown === tooLong) page.annotate(truncated, 'true');
      else if (shown !== undefined) page.add({ [field]: shown });
    },
    tell(stage, atMs) {
      const { event, audited, annotations } = known;
      if (event === undefined || audited?.omitStages.has(stage) !== false) return;
      const noted = annotations && { annotations: openAnnotations({ ...annotations }, known.secrecy) };
      told(inOrder({ ...event, stage, stageTimestamp: toMicroTimestamp(atMs), ...noted }));
    },
  };
  return page;
}

function trailOf(received: Received, { clock, random, policy, tell: told }: Telling): AuditTrail {
  const receivedMs = clock.nowMs();
  const id = received.givenId ?? randomUuid(random);
  const { known, add, annotate, body, tell } = createPage(told);
  const finds = (asked: AuditedAccess, isKnown: boolean): void => {
    const { access } = asked;
    known.audited = auditedBy(policy, { ...access, user: isKnown ? access.user : undefined });
    if (known.audited.level === 'None') return;
    known.secrecy = 'path' in access ? undefined : secrecyOf(access);
    known.event = begun(received, { asked, isKnown, id, audited: known.audited, receivedMs });
  };
  return {
    id,
    asks(asked) {
      finds(asked, true);
      tell('RequestReceived', receivedMs);
    },
    refusesCredentials: (asked) => finds(asked, false),
    actsAs: (user) => add({ impersonatedUser: auditUser(user) }),
    annotate,
    performs<T extends Operation>(operation: T): T {
      if (known.event === undefined) return operation;
      const sent = sentBy(operation);
      if (sent !== undefined) add({ objectRef: namedBy(known.event.objectRef, sent) });
      body('requestObject', sent);
      return { ...operation, annotate };
    },
    answers({ code, object }) {
      add({ responseStatus: auditStatus(isStatus(object) ? { ...object, code } : code) });
      body('responseObject', object);
    },
    begun(code) {
      add({ responseStatus: auditStatus(code) });
      tell('ResponseStarted', clock.nowMs());
    },
    ends(answered) {
      const { event } = known;
      if (typeof answered !== 'number') {
        const isForbidden = known.annotations?.['authorization.k8s.io/decision'] === 'forbid';
        const status = openStatus(answered, { secrecy: known.secrecy, verb: event?.verb ?? '', isForbidden });
        add({ responseStatus: auditStatus(status) });
        body('responseObject', status);
      } else if (event?.responseStatus === undefined) add({ responseStatus: auditStatus(answered) });
      // Whoever could not say who they are has no request that could be completed, as upstream.
      tell(event?.user.username === undefined ? 'ResponseStarted' : 'ResponseComplete', clock.nowMs());
    },
    panics() {
      // What was thrown may hold anything; it stands in the server's log.
      add({ responseStatus: auditStatus(internalError("APIServer panic'd")) });
      tell('Panic', clock.nowMs());
    },
  };
}

interface Beginning {
  readonly asked: AuditedAccess;
  readonly isKnown: boolean;
  readonly id: string;
  readonly audited: Audited;
  readonly receivedMs: number;
}

function begun(
  { requestUri, addresses, userAgent }: Received,
  { asked: { access, version }, isKnown, id, audited, receivedMs }: Beginning,
): NonNullable<Known['event']> {
  const objectRef = auditObject(access, version);
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: audited.level,
    auditID: id,
    requestURI: requestUri,
    verb: access.verb,
    user: isKnown ? auditUser(access.user) : {},
    ...(addresses.length > 0 && { sourceIPs: addresses }),
    ...(userAgent !== undefined && { userAgent }),
    ...(objectRef !== undefined && { objectRef }),
    requestReceivedTimestamp: toMicroTimestamp(receivedMs),
  };
}

function keeps(audited: Audited | undefined, field: BodyField): boolean {
  if (audited?.level === 'RequestResponse') return true;
  return audited?.level === 'Request' && field === 'requestObject';
}

/** What a client has sent. */
function sentBy(operation: Operation): unknown {
  switch (operation.verb) {
    case 'create':
    case 'update':
    case 'patch':
      return operation.body;
    case 'delete':
    case 'deletecollection':
      return Object.keys(operation.options).length === 0
        ? undefined
        : { kind: 'DeleteOptions', apiVersion: 'v1', ...operation.options };
    default:
      return undefined;
  }
}

/** A new object says its name itself. */
function namedBy(about: AuditObject | undefined, sent: unknown): AuditObject {
  const metadata = isObject(sent) && isObject(sent['metadata']) ? sent['metadata'] : {};
  const said = (key: 'name' | 'namespace' | 'uid' | 'resourceVersion'): JsonObject => {
    const value = metadata[key];
    return about?.[key] === undefined && typeof value === 'string' && value !== '' ? { [key]: value } : {};
  };
  return { ...about, ...said('namespace'), ...said('name'), ...said('uid'), ...said('resourceVersion') };
}

const tooLong = Symbol('too long');

function shownBody(value: unknown, { audited, secrecy }: Known): unknown {
  const items = isObject(value) ? value['items'] : undefined;
  if (Array.isArray(items) && items.length > itemsMax) return tooLong;
  const open = withoutSecrets(value, secrecy);
  return audited?.omitManagedFields === true ? withoutManagers(open) : open;
}

function withoutManagers(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { metadata, items } = value;
  return {
    ...value,
    ...(isObject(metadata) && { metadata: without(metadata, ['managedFields']) }),
    ...(Array.isArray(items) && { items: items.map(withoutManagers) }),
  };
}

function isStatus(object: Outcome['object'] | KubeObject): object is Status {
  return object.kind === 'Status' && object.apiVersion === 'v1';
}

/** The order in which upstream writes them: lines are read by people, too. */
function inOrder(event: AuditEvent): AuditEvent {
  const { kind, apiVersion, level, auditID, stage, requestURI, verb, user, ...rest } = event;
  const { impersonatedUser, sourceIPs, userAgent, objectRef, responseStatus, requestObject, responseObject, ...times } =
    rest;
  const { requestReceivedTimestamp, stageTimestamp, annotations } = times;
  return {
    ...{ kind, apiVersion, level, auditID, stage, requestURI, verb, user },
    ...(impersonatedUser && { impersonatedUser }),
    ...(sourceIPs && { sourceIPs }),
    ...(userAgent !== undefined && { userAgent }),
    ...(objectRef && { objectRef: refInOrder(objectRef) }),
    ...(responseStatus && { responseStatus }),
    ...(requestObject !== undefined && { requestObject }),
    ...(responseObject !== undefined && { responseObject }),
    ...{ requestReceivedTimestamp, stageTimestamp },
    ...(annotations && { annotations }),
  };
}

function refInOrder({ apiGroup, apiVersion, subresource, ...first }: AuditObject): AuditObject {
  return {
    ...first,
    ...(apiGroup !== undefined && { apiGroup }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(subresource !== undefined && { subresource }),
  };
}
