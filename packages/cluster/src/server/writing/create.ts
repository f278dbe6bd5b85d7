import type { Owners } from '../../api/apply/managers.ts';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, Outcome } from '../../api/operation.ts';
import {
  alreadyExists,
  badRequest,
  failure,
  methodNotAllowed,
  refusedWith,
  type Status,
  StatusError,
} from '../../api/status.ts';
import { fresh } from '../../base/fresh.ts';
import { randomText } from '../../base/random.ts';
import { reviewed } from '../admission/review.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { type Reviewer, reviewersOf } from '../context/reviewer.ts';
import { type WriteRequest, writeRequest } from '../context/write-request.ts';
import { decodeBody, type Incoming, placed } from '../intake/body.ts';
import { checkFields } from '../intake/fields.ts';
import { commit, hold, outcomeOf } from './commit.ts';
import { checkNamespace, whileCreating } from './namespace-gate.ts';
import { ownersOf } from './owning.ts';
import { checkNew, draftNew } from './prepare.ts';

const generatedAttemptsMax = 8;
const generatedSuffix = 5;
const generatedBaseMax = 63 - generatedSuffix;

interface Creation {
  readonly served: Served;
  readonly operation: CreateOperation;
  /** Who owns what, where an apply has decided it. */
  readonly owners?: Owners;
}

export async function create(
  context: ServerContext,
  { served, operation, owners }: Creation,
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<KubeObject>> {
  const { definition } = served;
  const { namespace, name, user } = operation;
  const request = { ...fresh, ...writeRequest(served, operation, waiting), ...(owners !== undefined && { owners }) };
  context.memory.admit({ does: 'create', user, resource: definition });
  const { wasText = false } = operation;
  const decoded = decodeBody(operation.body, definition, { isCustom: served.crd !== undefined, wasText });
  // What cannot be read is told first.
  const checked = checkFields(served, decoded, {
    fieldValidation: operation.options.fieldValidation,
    flaws: operation.flaws ?? [],
    warnings: request.warnings,
  });
  const incoming = placed(checked, { namespaced: definition.namespaced, namespace, name });
  checkNamespace(context, served, incoming);
  refuseEnding(context, served);
  try {
    return await whileCreating(context, namespace, () => keep(context, incoming, request));
  } catch (error) {
    throw refusedWith(error, request.warnings);
  }
}

async function keep(context: ServerContext, incoming: Incoming, request: WriteRequest): Promise<Outcome<KubeObject>> {
  const { served, warnings } = request;
  const { name = '', generateName = '', resourceVersion = '' } = incoming.metadata;
  const hasVersion = /^0*[1-9]\d*$/.test(resourceVersion);
  const generated = name === '' && generateName !== '';
  const reviewers = reviewersOf(context, request);
  for (let attempt = 1; ; attempt++) {
    const named = generated ? withName(incoming, nameFor(context, served, generateName)) : incoming;
    const drafted = draftOf(context, named, { request, reviewers });
    const after = drafted instanceof Promise ? await drafted : drafted;
    // As upstream, where the storage finds it, which a dry run does not reach.
    if (hasVersion && !request.dryRun)
      throw new StatusError(badRequest('resourceVersion should not be set on objects to be created'));
    const key = objectKey(served.prefix, after.metadata.namespace, after.metadata.name);
    const taken = context.store.get(key) !== undefined;
    // As upstream, who has no quota left is told that first.
    if (taken) hold(context, { request, key, after, ends: false })?.letGo();
    const written = taken ? undefined : await commit(context, { request, key, after, ends: false });
    if (written?.ok === true) return outcomeOf(201, written, warnings);
    if (!generated) throw new StatusError(alreadyExists(served.definition, after.metadata.name));
    if (attempt === generatedAttemptsMax) throw new StatusError(allNamesTaken(served, after.metadata.name));
  }
}

function nameFor(context: ServerContext, { traits }: Served, generateName: string): string {
  return traits.endsNames ? generatedName(context, generateName) : generateName;
}

interface Drafting {
  readonly request: WriteRequest;
  readonly reviewers: readonly Reviewer[];
}

/** The new object, found good. Waits only where somebody has to be asked. */
function draftOf(
  context: ServerContext,
  incoming: Incoming,
  { request, reviewers }: Drafting,
): KubeObject | Promise<KubeObject> {
  const draft = draftNew(context, incoming, request);
  if (reviewers.length > 0)
    return reviewed(context, draft, {
      reviewers,
      request,
      show: (object) => ({ object }),
      // What a reviewer adds is nobody's.
      take: (changed) =>
        draftNew(context, takenIn(changed, { draft, request }), { ...request, owners: ownersOf(draft) ?? [] }),
      check: (object) => checkNew(context, object, request),
    });
  checkNew(context, draft, request);
  return draft;
}

/** What a reviewer made of a draft, as if it had been sent so. */
function takenIn(
  changed: KubeObject,
  { draft, request }: { readonly draft: KubeObject; readonly request: WriteRequest },
): Incoming {
  const { served } = request;
  const { namespaced } = served.definition;
  const { namespace, name } = draft.metadata;
  const incoming = placed(decodeBody(changed, served.definition), { namespaced, namespace, name });
  return checkFields(served, incoming, { fieldValidation: 'Ignore', warnings: [] });
}

function generatedName({ random }: ServerContext, base: string): string {
  return base.slice(0, generatedBaseMax) + randomText(random, generatedSuffix);
}

function withName(incoming: Incoming, name: string): Incoming {
  return { ...incoming, metadata: { ...fresh, ...incoming.metadata, name } };
}

function allNamesTaken({ definition }: Served, name: string): Status {
  const { details } = alreadyExists(definition, name);
  return {
    ...failure(
      409,
      'AlreadyExists',
      `${alreadyExists(definition, name).message}, the server was not able to generate a unique name for the object`,
    ),
    details: { ...details, retryAfterSeconds: 1 },
  };
}

/** The objects of a CustomResourceDefinition that is being deleted are on their way out: no new ones. */
function refuseEnding({ store }: ServerContext, { crd, definition }: Served): void {
  if (crd === undefined) return;
  const stored = store.get(objectKey(resourcePrefix(customresourcedefinitions), undefined, crd));
  if ((stored?.value as KubeObject | undefined)?.metadata.deletionTimestamp === undefined) return;
  throw new StatusError({
    ...methodNotAllowed(definition, 'create'),
    message: 'create not allowed while custom resource definition is terminating',
  });
}
