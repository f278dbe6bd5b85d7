import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, Outcome } from '../../api/operation.ts';
import { alreadyExists, badRequest, failure, methodNotAllowed, type Status, StatusError } from '../../api/status.ts';
import { randomText } from '../../base/random.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { type WriteRequest, writeRequest } from '../context/write-request.ts';
import { decodeBody, type Incoming, placed } from '../intake/body.ts';
import { checkFields } from '../intake/fields.ts';
import { commit } from './commit.ts';
import { checkNamespace, whileCreating } from './namespace-gate.ts';
import { completeNew } from './prepare.ts';

const generatedAttemptsMax = 8;
const generatedSuffix = 5;
const generatedBaseMax = 63 - generatedSuffix;

interface Creation {
  readonly served: Served;
  readonly operation: CreateOperation;
}

export async function create(context: ServerContext, { served, operation }: Creation): Promise<Outcome<KubeObject>> {
  const { definition } = served;
  const { namespace, name, user } = operation;
  const request = writeRequest(served, operation);
  context.memory.admit({ does: 'create', user, resource: definition });
  const decoded = placed(decodeBody(operation.body, definition), {
    namespaced: definition.namespaced,
    namespace,
    name,
  });
  if ((decoded.metadata.resourceVersion ?? '') !== '')
    throw new StatusError(badRequest('resourceVersion should not be set on objects to be created'));
  checkNamespace(context, served, decoded);
  refuseEnding(context, served);
  const incoming = checkFields(served, decoded, {
    fieldValidation: operation.options.fieldValidation,
    flaws: operation.flaws ?? [],
    warnings: request.warnings,
  });
  return whileCreating(context, namespace, () => keep(context, incoming, request));
}

async function keep(context: ServerContext, incoming: Incoming, request: WriteRequest): Promise<Outcome<KubeObject>> {
  const { served, warnings } = request;
  const { name = '', generateName = '' } = incoming.metadata;
  const generated = name === '' && generateName !== '';
  for (let attempt = 1; ; attempt++) {
    const named = generated ? withName(incoming, generatedName(context, generateName)) : incoming;
    const after = completeNew(context, named, request);
    const key = objectKey(served.prefix, after.metadata.namespace, after.metadata.name);
    const taken = context.store.get(key) !== undefined;
    const written = taken ? undefined : await commit(context, { request, key, after, ends: false });
    if (written?.ok === true) return { code: 201, object: written.object, warnings: [...new Set(warnings)] };
    if (!generated) throw new StatusError(alreadyExists(served.definition, after.metadata.name));
    if (attempt === generatedAttemptsMax) throw new StatusError(allNamesTaken(served, after.metadata.name));
  }
}

function generatedName({ random }: ServerContext, base: string): string {
  return base.slice(0, generatedBaseMax) + randomText(random, generatedSuffix);
}

function withName(incoming: Incoming, name: string): Incoming {
  return { ...incoming, metadata: { ...incoming.metadata, name } };
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
