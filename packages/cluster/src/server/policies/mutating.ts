import type { MutatingAdmissionPolicyBinding } from '../../api/generated/admissionregistration-v1beta1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { forbidden, type Status } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import type { Variables } from '../../cel/compile.ts';
import { readDyn } from '../../cel/values/scalars.ts';
import { compiledMutatingPolicy } from '../../resources/admissionregistration/policy-expressions.ts';
import { asReviewed, beforehand, unstored } from '../admission/beforehand.ts';
import { admissionFacts } from '../admission/facts.ts';
import { inVersion, outOfVersion } from '../admission/in-version.ts';
import { admissionVariables } from '../admission/match-conditions.ts';
import type { AdmissionFacts, MatchedAs } from '../admission/matching.ts';
import type { Asked, Mutator, Turn } from '../admission/mutation-rounds.ts';
import type { ServerContext } from '../context/context.ts';
import type { Review } from '../context/reviewer.ts';
import type { BoundMutatingPolicy } from './configurations.ts';
import { conditionsOf } from './evaluate.ts';
import { matchedBy, withNamespace } from './matched.ts';
import { CannotMutate, mutated } from './mutate.ts';
import { Misconfigured, paramKindProblem, paramsOf } from './params.ts';

/** A policy as one of its bindings has it, with one object of parameters. */
interface Invocation {
  readonly policy: BoundMutatingPolicy['policy'];
  readonly binding: MutatingAdmissionPolicyBinding;
  readonly param: KubeObject | null;
  readonly as: MatchedAs;
}

interface Problem {
  readonly policy: BoundMutatingPolicy['policy'];
  /** Absent where it is the policy's alone. */
  readonly binding?: string;
  readonly message: string;
  /** Of the Status; a policy that is not set up right says nothing of the object. */
  readonly reason: 'Invalid' | 'Forbidden';
}

/** All policies that are about a request. One that fails is told of when the others were asked. */
export function policyTurn(
  context: ServerContext,
  bound: readonly BoundMutatingPolicy[],
  review: Review,
): Promise<Turn> {
  const problems: Problem[] = [];
  const invocations = invocationsOf(context, bound, { review, problems });
  return Promise.resolve({
    mutators: invocations.map((invocation) => mutatorOf(context, invocation, problems)),
    end: () => refusal(problems, admissionFacts(review), review),
  });
}

function invocationsOf(
  context: ServerContext,
  bound: readonly BoundMutatingPolicy[],
  { review, problems }: { readonly review: Review; readonly problems: Problem[] },
): readonly Invocation[] {
  const facts = admissionFacts(review);
  const matching = { context, review, facts };
  return bound.flatMap(({ policy, bindings }) => {
    const as = matchedBy(policy.spec.matchConstraints ?? {}, matching, { whole: false });
    if (as === undefined) return [];
    const problem = paramKindProblem(context, policy.spec.paramKind);
    if (problem !== undefined) {
      problems.push({ policy, message: problem, reason: 'Forbidden' });
      return [];
    }
    return bindings.flatMap((binding) => {
      if (matchedBy(binding.spec.matchResources ?? {}, matching, { whole: true }) === undefined) return [];
      try {
        const question = { kind: policy.spec.paramKind, ref: binding.spec.paramRef, namespace: facts.namespace };
        return paramsOf(context, question).map((param) => ({ policy, binding, param, as }));
      } catch (error) {
        if (!(error instanceof Misconfigured)) throw error;
        const message = `failed to configure binding: ${error.message}`;
        problems.push({ policy, binding: binding.metadata.name, message, reason: 'Forbidden' });
        return [];
      }
    });
  });
}

function mutatorOf(context: ServerContext, invocation: Invocation, problems: Problem[]): Mutator {
  const { policy, binding, param } = invocation;
  const { namespace = '', name = '' } = param?.metadata ?? {};
  return {
    id: `policy ${policy.metadata.name}/${binding.metadata.name}/${namespace}/${name}`,
    isReinvoked: policy.spec.reinvocationPolicy === 'IfNeeded',
    mindsItself: true,
    ask: (review) => askOne(context, invocation, { review, problems }),
  };
}

interface Asking {
  readonly review: Review;
  readonly problems: Problem[];
}

async function askOne(
  context: ServerContext,
  { policy, binding, param, as }: Invocation,
  { review, problems }: Asking,
): Promise<Asked | undefined> {
  const compiled = compiledMutatingPolicy(policy.spec);
  const fail = (message: string): void => {
    problems.push({ policy, binding: binding.metadata.name, message, reason: 'Invalid' });
  };
  const before = await seen(context, review, as);
  const holds = conditionsOf(compiled, before.given(param));
  // One that cannot be told leaves the object alone, and refuses it if the policy fails.
  if (typeof holds === 'string') fail(holds);
  if (holds !== true) return undefined;
  let current = review;
  for (const { patchType, expression } of compiled.mutations) {
    const { given, shown, facts } = current === review ? before : await seen(context, current, as);
    if (shown === undefined) return { warnings: [] };
    try {
      const { variables } = compiled;
      const after = mutated(context, { object: shown, patchType, expression, variables, given: given(param), as });
      if (equal(after, shown)) continue;
      const back = await outOfVersion(context.registry, after, { request: review.request, facts, as });
      current = { ...current, object: current.complete(asReviewed(back, current)) };
    } catch (error) {
      if (!(error instanceof CannotMutate)) throw error;
      fail(error.message);
    }
  }
  const { object } = current;
  return { warnings: [], ...(object !== undefined && object !== review.object && { object }) };
}

interface Seen {
  readonly facts: AdmissionFacts;
  /** In the version that the policy takes. */
  readonly shown: KubeObject | undefined;
  given(param: KubeObject | null): Variables;
}

async function seen(context: ServerContext, review: Review, as: MatchedAs): Promise<Seen> {
  const { request } = review;
  const facts = admissionFacts(review);
  const inIts = async (object: KubeObject | undefined): Promise<KubeObject | undefined> =>
    object === undefined ? undefined : inVersion(context.registry, object, { request, facts, as });
  const shown = await inIts(review.object && unstored(beforehand(review.object, request)));
  const oldObject = await inIts(review.oldObject);
  const known = admissionVariables(context, { object: shown, oldObject, facts, as, request });
  const given = withNamespace({ context, facts }, known);
  return {
    facts,
    shown,
    given: (param) => (name) => (name === 'params' ? readDyn(param) : given(name)),
  };
}

/** The first of them is told; all stand among the causes. */
function refusal(
  problems: readonly Problem[],
  { resource, name }: AdmissionFacts,
  { object }: Review,
): Status | undefined {
  const failing = problems.filter(({ policy }) => policy.spec.failurePolicy !== 'Ignore');
  const messages = failing.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy ${JSON.stringify(policy.metadata.name)} denied request: ${message}`
      : `policy '${policy.metadata.name}' with binding '${binding}' denied request: ${message}`,
  );
  const [first] = failing;
  const [message] = messages;
  if (first === undefined || message === undefined) return undefined;
  const shown = name === '' ? (object?.metadata.generateName ?? '') : name;
  const status = forbidden(
    resource,
    shown,
    message,
    messages.map((each) => ({ message: each })),
  );
  return { ...status, message, reason: first.reason } as Status;
}
