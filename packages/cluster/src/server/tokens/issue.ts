import { randomUUID } from 'node:crypto';
import type { BoundObjectReference, TokenRequest, TokenRequestSpec } from '../../api/generated/authentication-v1.ts';
import type { Pod, ServiceAccount } from '../../api/generated/core-v1.ts';
import { nodes, pods, secrets } from '../../api/generated/kinds.ts';
import { parseApiVersion, type ResourceType } from '../../api/gvk.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, Outcome } from '../../api/operation.ts';
import { badRequest, conflict, forbidden, invalid, notFound, StatusError } from '../../api/status.ts';
import { toTimestamp } from '../../base/clock.ts';
import { freeze } from '../../base/freeze.ts';
import { tokenSubresource } from '../../resources/core/serviceaccount.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { reviewersOf } from '../context/reviewer.ts';
import type { TokenSigner } from '../context/tokens.ts';
import { writeRequest } from '../context/write-request.ts';
import { decodeBody, type Incoming } from '../intake/body.ts';
import { checkFields, shapeOf } from '../intake/fields.ts';
import { readObject } from '../reading/get.ts';
import { type DoorRequest, unsent } from '../writing/door.ts';
import { reviewedBody } from '../writing/reviewed-body.ts';
import { type Bound, claimsOf, referenceTo } from './claims.ts';
import { nodeTokenRefusal } from './node-restriction.ts';
import { findIn } from './tokens.ts';

const secondsDefault = 3_600;
const secondsMin = 600;
const secondsMax = 2 ** 32;
/**
 * What pods get mounted asks for this very odd time: such a token lasts a year, for programs that read it once and never
 * again. `warnafter` says when it should have been read anew.
 */
const secondsOfMounted = 3_607;
const secondsExtended = 365 * 24 * 3_600;

const { kind } = tokenSubresource;
const { definition } = shapeOf(tokenSubresource);

export interface Issuing {
  /** Service accounts. */
  readonly served: Served;
  readonly operation: CreateOperation;
}

/** `POST …/serviceaccounts/NAME/token`: a signed token, which is kept nowhere. */
export async function issueToken(
  context: ServerContext,
  { served, operation }: Issuing,
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<KubeObject>> {
  const { fieldValidation } = operation.options;
  const written = writeRequest(served, operation, waiting);
  const request: DoorRequest = {
    ...written,
    fieldValidation,
    flaws: operation.flaws ?? [],
    isPatch: false,
    wasText: false,
  };
  const { namespace = '', name = '' } = operation;
  // What cannot be read is told before an account that is not there.
  const { asked, sent } = await takenIn(context, { operation, request });
  const account = readObject(context, { served, namespace, name }) as ServiceAccount;
  checkAccount(account, asked.metadata?.uid ?? '');
  const { clock, tokenSigner } = context;
  const nowMs = clock.nowMs();
  const { audiences: given, boundObjectRef }: Partial<TokenRequestSpec> = asked.spec;
  const audiences = given === undefined || given.length === 0 ? tokenSigner.audiences : given;
  const seconds = secondsOf(asked);
  const bound = boundObjectRef === undefined ? {} : boundTo(context, boundObjectRef, account);
  const wish = { ref: boundObjectRef, pod: bound.pod, audiences: sent.audiences ?? [], account: { namespace, name } };
  const refusal = nodeTokenRefusal(operation.user, wish, context);
  if (refusal !== undefined) throw new StatusError(forbidden(served.definition, name, refusal));
  const isMounted = bound.pod !== undefined && seconds === secondsOfMounted && isOurs(audiences, tokenSigner);
  // Never from the seeded source: what is logged of a token must lead to that one alone.
  const id = randomUUID();
  operation.annotate?.('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`);
  const token = await tokenSigner.sign(
    claimsOf({
      ...{ issuer: tokenSigner.issuer, account, bound, audiences, nowMs },
      lifeSeconds: isMounted ? secondsExtended : seconds,
      warnAfterSeconds: isMounted ? seconds : undefined,
      id,
    }),
  );
  const metadata = { ...asked.metadata, name, namespace, creationTimestamp: toTimestamp(nowMs) };
  const spec = { ...asked.spec, audiences, expirationSeconds: seconds };
  const status = { expirationTimestamp: toTimestamp(nowMs + seconds * 1000), token };
  const object = freeze({ ...asked, metadata, spec, status } as unknown as KubeObject);
  return { code: 201, object, warnings: [...request.warnings] };
}

interface Taking {
  readonly operation: CreateOperation;
  readonly request: DoorRequest;
}

interface Taken {
  readonly asked: TokenRequest;
  /** Before it was completed for those who are asked about it. */
  readonly sent: Partial<TokenRequestSpec>;
}

async function takenIn(context: ServerContext, { operation, request }: Taking): Promise<Taken> {
  const take = (body: unknown, asking: DoorRequest): Incoming => {
    const decoded = decodeBody(body, kind);
    checkPlace(decoded, operation);
    return checkFields({ definition }, decoded, { ...asking, partial: true });
  };
  const sent = take(operation.body, request);
  const reviewers = reviewersOf(context, request);
  const asking = { request, reviewers, take: (body: unknown) => take(body, unsent(request)) };
  const body = reviewers.length === 0 ? sent : await reviewedBody(context, completed(context, sent, operation), asking);
  const { spec = {} } = sent as { readonly spec?: Partial<TokenRequestSpec> };
  return { asked: { spec: {}, ...body } as unknown as TokenRequest, sent: spec };
}

/** As it will be issued, so that a rule about how long tokens last holds for those that do not say. */
function completed({ tokenSigner }: ServerContext, sent: Incoming, { namespace, name }: CreateOperation): Incoming {
  const { spec = {} } = sent as { readonly spec?: Partial<TokenRequestSpec> };
  const { audiences = [], expirationSeconds = secondsDefault } = spec;
  return {
    ...sent,
    metadata: { ...sent.metadata, ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) },
    spec: { ...spec, audiences: audiences.length === 0 ? tokenSigner.audiences : audiences, expirationSeconds },
  } as Incoming;
}

function checkPlace({ metadata }: Incoming, account: Pick<CreateOperation, 'namespace' | 'name'>): void {
  const { name = '', namespace = '' } = metadata;
  if (namespace !== '' && namespace !== account.namespace)
    throw new StatusError(
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    );
  if (name === '' || name === account.name) return;
  const issue = root('metadata', 'name').invalid(name, 'must match the service account name if specified');
  throw new StatusError(invalid(kind, account.name ?? '', [issue]));
}

/** Whoever names a uid means that account and no later one of the same name. */
function checkAccount({ metadata: { name, uid } }: ServiceAccount, meant: string): void {
  if (meant === '' || meant === uid) return;
  const why = `the UID in the token request (${meant}) does not match the UID of the service account (${uid})`;
  throw new StatusError(conflict({ group: kind.group, resource: kind.kind }, name, why));
}

function secondsOf({ spec }: TokenRequest): number {
  const at = root('spec', 'expirationSeconds');
  const seconds = spec.expirationSeconds ?? secondsDefault;
  const issues = [
    ...(seconds < secondsMin ? [at.invalid(seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > secondsMax ? [at.invalid(seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
  ];
  if (issues.length > 0) throw new StatusError(invalid(kind, '', issues));
  return Number(seconds);
}

function boundTo(context: ServerContext, ref: BoundObjectReference, account: ServiceAccount): Bound {
  const { apiVersion = '', kind = '' } = ref;
  const { group, version } = parseApiVersion(apiVersion);
  const { namespace } = account.metadata;
  const found = <T extends KubeObject>(type: ResourceType<T>, within: string | undefined): T =>
    foundAs(context, type, { ref, namespace: within });
  switch (group === '' ? kind : '') {
    case 'Pod': {
      const pod = found(pods, namespace);
      if (pod.spec.serviceAccountName !== account.metadata.name)
        throw new StatusError(
          badRequest(
            `cannot bind token for serviceaccount "${account.metadata.name}" to pod running with different serviceaccount name.`,
          ),
        );
      return { pod, ...nodeOf(context, pod) };
    }
    case 'Node':
      return { node: referenceTo(found(nodes, undefined)) };
    case 'Secret':
      return { secret: found(secrets, namespace) };
    default:
      throw new StatusError(badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`));
  }
}

function foundAs<T extends KubeObject>(
  { store }: ServerContext,
  type: ResourceType<T>,
  { ref, namespace }: { readonly ref: BoundObjectReference; readonly namespace: string | undefined },
): T {
  const { name = '', uid = '' } = ref;
  const found = findIn(store)(type, { namespace, name });
  if (found === undefined) throw new StatusError(notFound(type, name));
  if (uid !== '' && uid !== found.metadata.uid)
    throw new StatusError(
      conflict(
        { group: '', resource: type.kind },
        name,
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      ),
    );
  return found;
}

/** Where the pod runs; by its name alone when the node is gone. */
function nodeOf({ store }: ServerContext, { spec: { nodeName: name = '' } }: Pod): Bound {
  if (name === '') return {};
  const node = findIn(store)(nodes, { name });
  return { node: node === undefined ? { name } : referenceTo(node) };
}

function isOurs(audiences: readonly string[], { audiences: own }: TokenSigner): boolean {
  return audiences.every((each) => own.includes(each));
}
