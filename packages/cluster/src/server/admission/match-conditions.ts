import type { MatchCondition } from '../../api/generated/admissionregistration-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import { parseFieldSelector } from '../../api/selector/selector.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { admission, admissionRequest } from '../../cel/admission.ts';
import { compile, type Outcome, type Program, type Refusal, type Variables } from '../../cel/compile.ts';
import { type AccessQuestion, AuthorizerValue, type Decide, ResourceCheck } from '../../cel/library/authorizations.ts';
import { readDyn } from '../../cel/values/scalars.ts';
import type { Access } from '../context/authorizer.ts';
import type { ServerContext } from '../context/context.ts';
import { type Described, describeRequest } from './request.ts';

const costMaxOfAll = 2_500_000;
const costMaxOfOne = 1_000_000;

/** A request, and the objects that it is about, in the version in which it is looked at. */
export interface About extends Described {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export interface Conditional {
  readonly about: About;
  /** What becomes of a request about which a condition cannot tell: it passes by (`Ignore`), or is refused. */
  readonly failurePolicy: string | undefined;
}

/** Whether all conditions hold. Throws 403 where one cannot be told and the policy is to fail. */
export function meetsConditions(
  context: ServerContext,
  conditions: readonly MatchCondition[],
  { about, failurePolicy }: Conditional,
): boolean {
  const given = admissionVariables(context, about);
  const problems: string[] = [];
  let left = costMaxOfAll;
  for (const condition of conditions) {
    const { expression } = condition;
    const outcome = outcomeOf(condition, { given, costMax: Math.min(left, costMaxOfOne) });
    left -= outcome.cost;
    // One that does not hold is enough, whatever the others are.
    if ('value' in outcome && outcome.value === false) return false;
    if ('error' in outcome) problems.push(`expression '${expression}' resulted in error: ${outcome.error}`);
  }
  if (problems.length === 0) return true;
  if (failurePolicy === 'Ignore') return false;
  const { resource, name } = about.facts;
  const why = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  throw new StatusError(forbidden(resource, name, why));
}

/** What expressions about a request may name. Nothing is read that none of them names. */
export function admissionVariables(context: ServerContext, about: About): Variables {
  const { object, oldObject, facts, as, request } = about;
  const authorizer = new AuthorizerValue(deciding(context, request.user));
  return (name) => {
    switch (name) {
      case 'object':
        return readDyn(object ?? null);
      case 'oldObject':
        return readDyn(oldObject ?? null);
      case 'request':
        return admissionRequest.read(describeRequest({ facts, as, request }));
      case 'authorizer':
        return authorizer;
      case 'authorizer.requestResource': {
        const { resource, subresource, namespace, name: own } = facts;
        const parts = { resource: resource.resource, subresource, namespace, name: own };
        return new ResourceCheck(authorizer, resource.group, parts);
      }
      default:
        return undefined;
    }
  };
}

function deciding(context: ServerContext, user: User): Decide {
  return (question) => {
    const verdict = context.authorizer.authorize(accessOf(question, user), context);
    return { allowed: verdict.allowed, reason: verdict.reason ?? '', error: '' };
  };
}

function accessOf(question: AccessQuestion, asking: User): Access {
  const { verb, account } = question;
  const user = account === undefined ? asking : accountUser(account);
  if ('path' in question) return { user, verb, path: question.path };
  const { group, resource, subresource, namespace, name, fieldSelector = '' } = question;
  return {
    ...{ user, verb, group, resource: subresource === '' ? resource : `${resource}/${subresource}` },
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(fieldSelector !== '' && { fields: requirementsIn(fieldSelector) }),
  };
}

/** What cannot be read chooses nothing. */
function requirementsIn(selector: string): ReturnType<typeof parseFieldSelector> {
  try {
    return parseFieldSelector(selector);
  } catch {
    return [];
  }
}

function accountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): User {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

interface Running {
  readonly given: Variables;
  readonly costMax: number;
}

function outcomeOf(condition: MatchCondition, { given, costMax }: Running): Outcome {
  const program = programs.get(condition) ?? compile(condition.expression, admission);
  if (Object.isFrozen(condition)) programs.set(condition, program);
  return 'problem' in program ? { error: program.problem, cost: 0 } : program.run(given, { costMax });
}

/** Configurations are stored and frozen: each condition is read once. */
const programs = new WeakMap<MatchCondition, Program | Refusal>();
