import { fixed } from '../costs/rules.ts';
import { bool, opaque, string, type Type } from '../types/type.ts';
import { EvaluationError, Opaque, type Value } from '../values/value.ts';
import { instance, member, type Overload, text } from './overload.ts';

export const authorizerType: Type = opaque('kubernetes.authorization.Authorizer');
export const pathCheckType: Type = opaque('kubernetes.authorization.PathCheck');
export const groupCheckType: Type = opaque('kubernetes.authorization.GroupCheck');
export const resourceCheckType: Type = opaque('kubernetes.authorization.ResourceCheck');
export const decisionType: Type = opaque('kubernetes.authorization.Decision');

/** What is asked about somebody: the user of the request, unless a service account is named. */
export type AccessQuestion = { readonly verb: string; readonly account?: ServiceAccountName } & (
  | { readonly path: string }
  | ({ readonly group: string } & ResourceParts)
);

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export interface ResourceParts {
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** Empty when it could be told. */
  readonly error: string;
}

export type Decide = (question: AccessQuestion) => AccessAnswer;

/** Values of this library are made to be asked, not to be compared. */
abstract class Asking extends Opaque {
  override equals(other: Opaque): boolean {
    return this === other;
  }
}

export class AuthorizerValue extends Asking {
  readonly typeName = 'kubernetes.authorization.Authorizer';
  readonly decide: Decide;
  readonly account: ServiceAccountName | undefined;

  constructor(decide: Decide, account?: ServiceAccountName) {
    super();
    this.decide = decide;
    this.account = account;
  }
}

class PathCheck extends Asking {
  readonly typeName = 'kubernetes.authorization.PathCheck';
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends Asking {
  readonly typeName = 'kubernetes.authorization.GroupCheck';
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

export class ResourceCheck extends Asking {
  readonly typeName = 'kubernetes.authorization.ResourceCheck';
  readonly authorizer: AuthorizerValue;
  readonly group: string;
  readonly parts: ResourceParts;

  constructor(authorizer: AuthorizerValue, group: string, parts: ResourceParts) {
    super();
    this.authorizer = authorizer;
    this.group = group;
    this.parts = parts;
  }

  with(more: Partial<ResourceParts>): ResourceCheck {
    return new ResourceCheck(this.authorizer, this.group, { ...this.parts, ...more });
  }
}

class Decision extends Asking {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly answer: AccessAnswer;

  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }
}

function filled(value: Value | undefined, what: string): string {
  const found = text(value);
  if (found.trim() === '') throw new EvaluationError(`${what} must not be empty`);
  return found;
}

function decided({ decide, account }: AuthorizerValue, question: AccessQuestion): Decision {
  return new Decision(decide({ ...question, ...(account !== undefined && { account }) }));
}

const costs = fixed(1);
const checks = fixed(350_000);

/** A part of a resource that the check is about: `….namespace('default')`. */
function narrowing(name: keyof ResourceParts): Overload {
  const signature = { parameters: [resourceCheckType, string], result: resourceCheckType, costs };
  return member(name, signature, ([x, y]) => instance(x, ResourceCheck).with({ [name]: text(y) }));
}

function telling(name: string, result: Type, of: (answer: AccessAnswer) => Value): Overload {
  return member(name, { parameters: [decisionType], result, costs }, ([x]) => of(instance(x, Decision).answer));
}

export const authorizations: readonly Overload[] = [
  member(
    'path',
    { parameters: [authorizerType, string], result: pathCheckType, costs },
    ([x, y]) => new PathCheck(instance(x, AuthorizerValue), filled(y, 'path')),
  ),
  member(
    'group',
    { parameters: [authorizerType, string], result: groupCheckType, costs },
    ([x, y]) => new GroupCheck(instance(x, AuthorizerValue), text(y)),
  ),
  member(
    'serviceAccount',
    { parameters: [authorizerType, string, string], result: authorizerType, costs },
    ([x, namespace, name]) =>
      new AuthorizerValue(instance(x, AuthorizerValue).decide, { namespace: text(namespace), name: text(name) }),
  ),
  member('resource', { parameters: [groupCheckType, string], result: resourceCheckType, costs }, ([x, y]) => {
    const { authorizer, group } = instance(x, GroupCheck);
    const resource = filled(y, 'resource');
    return new ResourceCheck(authorizer, group, { resource, subresource: '', namespace: '', name: '' });
  }),
  ...(['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'] as const).map(narrowing),
  member('check', { parameters: [pathCheckType, string], result: decisionType, costs: checks }, ([x, verb]) => {
    const { authorizer, path } = instance(x, PathCheck);
    return decided(authorizer, { path, verb: text(verb) });
  }),
  member('check', { parameters: [resourceCheckType, string], result: decisionType, costs: checks }, ([x, verb]) => {
    const { authorizer, group, parts } = instance(x, ResourceCheck);
    return decided(authorizer, { group, ...parts, verb: text(verb) });
  }),
  telling('allowed', bool, ({ allowed }) => allowed),
  telling('reason', string, ({ reason }) => reason),
  telling('errored', bool, ({ error }) => error !== ''),
  telling('error', string, ({ error }) => error),
];
