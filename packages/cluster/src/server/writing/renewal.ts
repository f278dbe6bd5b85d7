import { isSameActor } from '../../api/apply/managers.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { UpdateOperation } from '../../api/operation.ts';
import { isObject } from '../../api/record.ts';
import { isMicroTime } from '../../api/schema/scalar.ts';
import { freeze } from '../../base/freeze.ts';
import type { Stored } from '../../store/store.ts';
import { pluginsFor } from '../context/admission.ts';
import type { ServerContext } from '../context/context.ts';
import { sameForm } from '../context/conversion.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { reviewersOf } from '../context/reviewer.ts';
import { type ObjectWrite, type WriteRequest, writeRequest } from '../context/write-request.ts';
import { actorOf, ownersOf, timeOf } from './owning.ts';

type Members = Readonly<Record<string, unknown>>;
type WithSpec = KubeObject & { readonly spec?: Members };

/**
 * The write of a sign of life, where an update is one and nothing else: made in this process from the very version that is
 * stored, by who alone owns it, with nothing new but the time that its kind counts. What is the same value was found good when
 * it was stored, so only that time is looked at. Undefined: it has to go the way of all updates, which comes to the same.
 */
export function renewalOf(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: UpdateOperation },
  waiting: { readonly signal: AbortSignal },
): ObjectWrite | undefined {
  if (operation.subresource !== undefined || operation.options.dryRun === true) return undefined;
  const sign = signFor(context, served, operation);
  if (sign === undefined) return undefined;
  const request = writeRequest(served, operation, waiting);
  return mayRenew(context, request) ? renewed(context, sign, request) : undefined;
}

/** Whether nobody has a say in signs of life of this request besides who gives them. */
export function mayRenew(context: ServerContext, request: WriteRequest): boolean {
  const { served } = request;
  return reviewersOf(context, request).length === 0 && !hasRules(context, served);
}

/** An object with a new time. */
export interface Sign {
  readonly stored: Stored;
  readonly current: WithSpec;
  readonly field: string;
  readonly time: string;
  readonly body: KubeObject;
}

export function signFor(
  { store }: ServerContext,
  served: Served,
  { namespace, name, body }: Pick<UpdateOperation, 'namespace' | 'name' | 'body'>,
): Sign | undefined {
  const { signOfLife } = served.definition;
  if (signOfLife === undefined || served.conversion !== sameForm) return undefined;
  const stored = store.get(objectKey(served.prefix, namespace, name));
  const current = stored?.value as WithSpec | undefined;
  const time = current && timeRenewed(current, body, signOfLife);
  if (stored === undefined || current === undefined || time === undefined) return undefined;
  return { stored, current, field: signOfLife, time, body: body as KubeObject };
}

/** Its write; undefined where it takes more to know who owns it then. */
export function renewed(context: ServerContext, sign: Sign, request: WriteRequest): ObjectWrite | undefined {
  const { stored, current, field: signOfLife, time, body } = sign;
  const owners = renewedOwners(context, current, { request, signOfLife });
  if (owners === 'to be found out') return undefined;
  const { metadata, spec } = current;
  return {
    request,
    // The store's own: all versions share one text.
    key: stored.key,
    before: { stored, object: current },
    after: body,
    versioned(revision) {
      const resourceVersion = String(revision);
      const isSame = owners === undefined || owners === metadata.managedFields;
      const after = {
        ...current,
        metadata: isSame ? { ...metadata, resourceVersion } : { ...metadata, resourceVersion, managedFields: owners },
        spec: { ...spec, [signOfLife]: time },
      };
      return freeze(after as KubeObject);
    },
    ends: false,
  };
}

/** The new time, if there is one and all else is the same. */
function timeRenewed(current: WithSpec, body: unknown, signOfLife: string): string | undefined {
  if (!isObject(body) || body['metadata'] !== current.metadata) return undefined;
  const { spec } = body;
  if (!isObject(spec) || !isObject(current.spec)) return undefined;
  if (!isSameBut('spec', body, current as unknown as Members) || !isSameBut(signOfLife, spec, current.spec))
    return undefined;
  const time = spec[signOfLife];
  return typeof time === 'string' && time !== current.spec[signOfLife] && isGood(time) ? time : undefined;
}

let good = '';

/** Those that are given in one moment carry the same time. */
function isGood(time: string): boolean {
  if (time === good) return true;
  if (!isMicroTime(time)) return false;
  good = time;
  return true;
}

/** Both have the field, and the same values in all others. */
function isSameBut(field: string, a: Members, b: Members): boolean {
  let surplus = 0;
  for (const name in a) {
    if (name !== field && a[name] !== b[name]) return false;
    surplus += 1;
  }
  for (const _ in b) surplus -= 1;
  return surplus === 0 && a[field] !== undefined && b[field] !== undefined;
}

function hasRules({ admission }: ServerContext, served: Served): boolean {
  for (const { update, checkUpdate } of pluginsFor(admission, served))
    if (update !== undefined || checkUpdate !== undefined) return true;
  return false;
}

type Entries = KubeObject['metadata']['managedFields'];

/** Who owns it all goes on to, from now on. */
function renewedOwners(
  context: ServerContext,
  current: WithSpec,
  { request, signOfLife }: { readonly request: WriteRequest; readonly signOfLife: string },
): Entries | 'to be found out' {
  const owners = ownersOf(current);
  if (owners === undefined) return undefined;
  const [only] = owners;
  if (only === undefined || owners.length > 1 || !isSameActor(only, actorOf(request, 'Update')))
    return 'to be found out';
  const inSpec = only.fieldsV1['f:spec'];
  if (inSpec?.[`f:${signOfLife}`] === undefined) return 'to be found out';
  const time = timeOf(context);
  if (only.time === time) return current.metadata.managedFields;
  const { manager, operation, apiVersion, fieldsType, fieldsV1 } = only;
  // Of this object alone, as it names what it belongs to: as a plain list it is encoded fastest.
  return [{ manager, operation, apiVersion, time, fieldsType, fieldsV1 }] as Entries;
}
