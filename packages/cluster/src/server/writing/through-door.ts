import type { Owners } from '../../api/apply/managers.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Outcome } from '../../api/operation.ts';
import { isObject } from '../../api/record.ts';
import { refusedWith } from '../../api/status.ts';
import { reviewed } from '../admission/review.ts';
import type { ServerContext } from '../context/context.ts';
import { reviewersOf } from '../context/reviewer.ts';
import { decodeBody, type Incoming, placed } from '../intake/body.ts';
import { type Door, type DoorRequest, unsent } from './door.ts';
import { ownersOf } from './owning.ts';
import { rewrite } from './write.ts';

export interface Way {
  readonly door: Door;
  readonly request: DoorRequest;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** What comes in, and who owns what afterwards where that is decided already. */
export interface Given {
  readonly incoming: Incoming;
  readonly owners?: Owners;
}

/** A body as the door takes it. Throws 400 when it is of another kind, about another object, or does not fit its schema. */
export function enter({ door, request, namespace, name }: Way, body: unknown): Incoming {
  const { definition, crd } = request.served;
  const { namespaced } = definition;
  const isCustom = crd !== undefined && door.kind.kind === definition.kind;
  const known = isCustom && request.subresource !== undefined ? withOwnKind(body, request) : body;
  const decoded = decodeBody(known, door.kind, { isCustom, wasText: request.wasText });
  // What cannot be read is told first.
  return placed(door.take(decoded, request), { namespaced, namespace, name });
}

/** By the door of the status nobody looks at the kind of a custom resource, or of what a patch makes of it at the version. */
function withOwnKind(body: unknown, { served, isPatch }: DoorRequest): unknown {
  if (!isObject(body)) return body;
  const { apiVersion, kind } = body;
  const own = {
    apiVersion: isPatch && isSome(apiVersion) ? served.apiVersion : apiVersion,
    kind: served.definition.kind,
  };
  return isSome(kind) && (kind !== own.kind || apiVersion !== own.apiVersion) ? { ...body, ...own } : body;
}

function isSome(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/**
 * Changes an object by a door: taken in, reviewed, found valid, kept; again from the start when somebody else was faster.
 * `incoming` makes of what the door shows now what comes in; undefined leaves the object as it is.
 */
export function throughDoor(
  context: ServerContext,
  way: Way,
  incoming: (shown: KubeObject, current: KubeObject) => Given | undefined,
): Promise<Outcome<KubeObject>> {
  const { door, request, namespace, name } = way;
  const reviewers = reviewersOf(context, request);
  const change = (current: KubeObject): KubeObject | Promise<KubeObject> => {
    const given = incoming(door.read(current), current);
    const owning = given?.owners === undefined ? request : { ...request, owners: given.owners };
    const draft = given === undefined ? current : door.write(context, { incoming: given.incoming, current }, owning);
    if (reviewers.length > 0)
      return reviewed(context, draft, {
        reviewers,
        request,
        show: (next) => ({ object: door.read(next), oldObject: door.read(current) }),
        take: (changed) =>
          door.write(
            context,
            { incoming: enter({ ...way, request: unsent(request) }, changed), current },
            // What a reviewer adds is nobody's.
            { ...request, owners: ownersOf(draft) ?? [] },
          ),
        check: (next) => door.check(context, { next, current }, request),
      });
    door.check(context, { next: draft, current }, request);
    return draft;
  };
  return rewrite(context, { request, namespace, name, change }).then(
    (outcome) => ({ ...outcome, object: door.read(outcome.object) }),
    (error: unknown) => {
      throw refusedWith(error, request.warnings);
    },
  );
}
