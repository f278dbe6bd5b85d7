import {
  localsubjectaccessreviews,
  selfsubjectaccessreviews,
  selfsubjectreviews,
  selfsubjectrulesreviews,
} from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import { type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, Outcome, User } from '../../api/operation.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import type { FieldRequirement } from '../../api/selector/selector.ts';
import { badRequest, invalid, refusedWith, StatusError } from '../../api/status.ts';
import { toTimestamp } from '../../base/clock.ts';
import { freeze } from '../../base/freeze.ts';
import type { Access } from '../context/authorizer.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { decodeBody, type Incoming, otherNamespace } from '../intake/body.ts';
import { checkFields } from '../intake/fields.ts';
import { requirementsOf } from './requested.ts';

type Review = Incoming & { readonly spec?: JsonObject };

/** Answers a question about access or identity. Nothing is stored. */
export async function review(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: CreateOperation },
): Promise<Outcome<KubeObject>> {
  const warnings: string[] = [];
  const decoded = decodeBody(operation.body, served.definition);
  const { fieldValidation } = operation.options;
  const asked = checkFields(served, decoded, {
    fieldValidation,
    flaws: operation.flaws ?? [],
    warnings,
    partial: true,
  }) as Review;
  try {
    return { code: 201, object: await answered(context, asked, { served, operation }), warnings };
  } catch (error) {
    throw refusedWith(error, warnings);
  }
}

async function answered(
  context: ServerContext,
  asked: Review,
  { served, operation }: { readonly served: Served; readonly operation: CreateOperation },
): Promise<KubeObject> {
  const { namespace: given = '' } = asked.metadata;
  if (isOfKind(asked, localsubjectaccessreviews) && given !== '' && given !== operation.namespace)
    throw new StatusError(badRequest(otherNamespace));
  const issues = [...reviewIssues(asked, operation)];
  if (issues.length > 0) throw new StatusError(invalid({ group: served.definition.group, kind: '' }, '', issues));
  const status = await answer(context, asked, operation);
  // As upstream, the answer about rules does not repeat what was asked.
  const isAboutRules = isOfKind(asked, selfsubjectrulesreviews);
  const spec = isAboutRules ? { spec: {} } : {};
  const metadata = isOfKind(asked, selfsubjectreviews)
    ? { creationTimestamp: toTimestamp(context.clock.nowMs()) }
    : isAboutRules
      ? {}
      : shownMetadata(asked, served);
  return freeze({ ...asked, ...spec, metadata, status } as unknown as KubeObject);
}

/** Of a question that is not kept only its name is anybody's. */
function shownMetadata({ metadata }: Review, { definition }: Served): Review['metadata'] {
  const { deletionTimestamp: _t, deletionGracePeriodSeconds: _s, managedFields: _m, namespace, ...shown } = metadata;
  return { ...shown, ...(definition.namespaced && namespace !== undefined && { namespace }) };
}

/** What is wrong with a question about access, in upstream's words. */
function* reviewIssues(review: Review, { namespace }: CreateOperation): Iterable<Issue> {
  const { kind, spec = {}, metadata } = review;
  if (!kind.endsWith('AccessReview')) return;
  const { resourceAttributes: resource, nonResourceAttributes: other, user, groups } = spec;
  const at = root('spec');
  if (isObject(resource) && isObject(other))
    yield at('nonResourceAttributes').invalid(other, 'cannot be specified in combination with resourceAttributes');
  if (!isObject(resource) && !isObject(other))
    yield at('resourceAttributes').invalid(
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  const nobody = (typeof user !== 'string' || user === '') && (!Array.isArray(groups) || groups.length === 0);
  if (!isOfKind(review, selfsubjectaccessreviews) && nobody)
    yield at('user').invalid('', 'at least one of user or group must be specified');
  // What a server would fill in is nobody's question.
  const { name, generateName, labels, annotations, ownerReferences, finalizers, generation, resourceVersion } =
    metadata;
  const own = [name, generateName, labels, annotations, ownerReferences, finalizers, generation, resourceVersion];
  const isLocal = isOfKind(review, localsubjectaccessreviews);
  // Empty texts are none.
  if (own.some((each) => each !== undefined && each !== ''))
    yield root('metadata').invalid(metadata, isLocal ? 'must be empty except for namespace' : 'must be empty');
  if (!isLocal) return;
  if (isObject(resource) && resource['namespace'] !== namespace)
    yield at('resourceAttributes', 'namespace').invalid(resource['namespace'] ?? '', 'must match metadata.namespace');
  if (isObject(other)) yield at('nonResourceAttributes').invalid(other, 'disallowed on this kind of request');
}

function answer(
  context: ServerContext,
  { kind, spec = {} }: Review,
  { user }: CreateOperation,
): JsonObject | Promise<JsonObject> {
  switch (kind) {
    case 'SelfSubjectReview':
      return { userInfo: userInfo(user) };
    case 'SelfSubjectAccessReview':
      return verdictOn(context, accessOf(user, spec));
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
      return verdictOn(context, accessOf(subjectOf(spec), spec));
    case 'SelfSubjectRulesReview':
      return rulesOf(context, { user, spec });
    case 'TokenReview':
      return tokenReview(context, spec);
    default:
      throw new StatusError(badRequest(`a ${kind} cannot be answered`));
  }
}

/** The very question that a request would ask. */
function verdictOn(context: ServerContext, access: Access): JsonObject {
  const verdict = context.authorizer.authorize(access, context);
  const { allowed, reason = '' } = verdict;
  return { allowed, ...(reason !== '' && { reason }) };
}

function accessOf(user: User, spec: JsonObject): Access {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  if (isObject(nonResourceAttributes))
    return { user, verb: text(nonResourceAttributes['verb']), path: text(nonResourceAttributes['path']) };
  const attributes = isObject(resourceAttributes) ? resourceAttributes : {};
  const namespace = text(attributes['namespace']);
  const subresource = text(attributes['subresource']);
  const name = text(attributes['name']);
  const fields = fieldsOf(attributes['fieldSelector']);
  return {
    user,
    verb: text(attributes['verb']),
    group: text(attributes['group']),
    resource: text(attributes['resource']) + (subresource === '' ? '' : `/${subresource}`),
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(fields.length > 0 && { fields }),
  };
}

/** Only an equality lets anybody see more than without it; other conditions do not count. */
function fieldsOf(selector: unknown): readonly FieldRequirement[] {
  if (!isObject(selector)) return [];
  const { rawSelector, requirements } = selector;
  if (typeof rawSelector === 'string') return requirementsOf(rawSelector);
  if (!Array.isArray(requirements)) return [];
  return requirements.filter(isObject).flatMap(({ key, operator, values }): readonly FieldRequirement[] => {
    const [value, ...others] = Array.isArray(values) ? values : [];
    if (typeof key !== 'string' || typeof value !== 'string' || others.length > 0) return [];
    return operator === 'In' ? [{ path: key, operator: '=', value }] : [];
  });
}

function subjectOf({ user, groups, uid, extra }: JsonObject): User {
  const names = Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [];
  // A group alone stands for any authenticated user in it.
  return {
    name: typeof user === 'string' && user !== '' ? user : 'system:unnamed',
    groups: names,
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    ...(isObject(extra) && { extra: extra as NonNullable<User['extra']> }),
  };
}

function rulesOf(
  context: ServerContext,
  { user, spec: { namespace } }: { readonly user: User; readonly spec: JsonObject },
): JsonObject {
  const within = typeof namespace === 'string' ? namespace : '';
  if (within === '') throw new StatusError(badRequest('no namespace on request'));
  return { ...context.authorizer.rulesFor({ user, namespace: within }, context) };
}

async function tokenReview(
  { authenticateToken }: ServerContext,
  { token, audiences: asked }: JsonObject,
): Promise<JsonObject> {
  if (typeof token !== 'string' || token === '')
    throw new StatusError(badRequest('token is required for TokenReview in authentication'));
  const audiences = Array.isArray(asked) ? asked.filter((each) => typeof each === 'string') : [];
  const verdict = await authenticateToken(token, audiences.length === 0 ? undefined : audiences);
  if (verdict.known) return { authenticated: true, user: userInfo(verdict.user), audiences: verdict.audiences };
  const error = verdict.why === undefined ? 'invalid bearer token' : `[invalid bearer token, ${verdict.why}]`;
  return { authenticated: false, user: {}, error };
}

function userInfo({ name, groups, uid, extra }: User): JsonObject {
  return { username: name, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) };
}
