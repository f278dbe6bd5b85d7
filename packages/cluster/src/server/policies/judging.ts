import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../api/generated/admissionregistration-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { forbidden, type Status } from '../../api/status.ts';
import type { Variables } from '../../cel/compile.ts';
import { readDyn } from '../../cel/values/scalars.ts';
import { compiledPolicy } from '../../resources/admissionregistration/policy-expressions.ts';
import { admissionFacts } from '../admission/facts.ts';
import { inVersion } from '../admission/in-version.ts';
import { admissionVariables } from '../admission/match-conditions.ts';
import type { AdmissionFacts } from '../admission/matching.ts';
import type { ServerContext } from '../context/context.ts';
import type { Review, Verdict } from '../context/reviewer.ts';
import { createNotes, type Notes, noteFailure } from './audited.ts';
import type { BoundPolicy } from './configurations.ts';
import { AnnotationFailed, type Denial, judge } from './evaluate.ts';
import { type Matching, matchedBy, withNamespace } from './matched.ts';
import { Misconfigured, paramKindProblem, paramsOf } from './params.ts';

interface Refusal extends Omit<Denial, 'index'> {
  readonly policy: string;
  readonly binding?: string;
}

interface Asking extends Matching {
  readonly refusals: Refusal[];
  readonly warnings: string[];
}

/** What all policies together say of a request. */
export async function judgeAll(
  context: ServerContext,
  bound: readonly BoundPolicy[],
  review: Review,
): Promise<Verdict> {
  const facts = admissionFacts(review);
  const asking: Asking = { context, review, facts, refusals: [], warnings: [] };
  for (const each of bound) await askPolicy(each, asking);
  const [first] = asking.refusals;
  const { warnings } = asking;
  return first === undefined
    ? { allowed: true, warnings }
    : { allowed: false, status: refusal(first, facts, review), warnings };
}

async function askPolicy(bound: BoundPolicy, asking: Asking): Promise<void> {
  const { policy, bindings } = bound;
  const { review, facts, context } = asking;
  const as = matchedBy(policy.spec.matchConstraints ?? {}, asking, { whole: false });
  if (as === undefined) return;
  const problem = paramKindProblem(context, policy.spec.paramKind);
  if (problem !== undefined) {
    if (fails(policy)) asking.refusals.push({ policy: policy.metadata.name, message: problem });
    return;
  }
  const shown = async (object: KubeObject | undefined): Promise<KubeObject | undefined> =>
    object === undefined ? undefined : inVersion(context.registry, object, { request: review.request, facts, as });
  let given: Variables | undefined;
  const notes = createNotes(policy.metadata.name);
  for (const binding of bindings) {
    if (matchedBy(binding.spec.matchResources ?? {}, asking, { whole: true }) === undefined) continue;
    const [object, oldObject] = given === undefined ? [await shown(review.object), await shown(review.oldObject)] : [];
    given ??= withNamespace(
      asking,
      admissionVariables(context, { object, oldObject, facts, as, request: review.request }),
    );
    askBinding(bound, binding, { ...asking, given, notes });
  }
  const annotate = review.request.operation?.annotate;
  if (annotate !== undefined) notes.publish(annotate);
}

function askBinding(
  { policy }: BoundPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  asking: Asking & { readonly given: Variables; readonly notes: Notes },
): void {
  const { context, facts, given, refusals, notes } = asking;
  const { name } = binding.metadata;
  const who = { policy: policy.metadata.name, binding: name };
  try {
    const { paramKind } = policy.spec;
    const params = paramsOf(context, { kind: paramKind, ref: binding.spec.paramRef, namespace: facts.namespace });
    for (const param of params) {
      const all: Variables = (variable) => (variable === 'params' ? readDyn(param) : given(variable));
      const { denials, annotations } = judge({ policy, compiled: compiledPolicy(policy.spec) }, all);
      for (const denial of denials) take(denial, { policy, binding, asking });
      for (const { key, value } of annotations) notes.add(key, value);
    }
  } catch (error) {
    if (error instanceof AnnotationFailed) refusals.push({ ...who, message: error.message });
    else if (!(error instanceof Misconfigured)) throw error;
    else if (fails(policy)) refusals.push({ ...who, message: `failed to configure binding: ${error.message}` });
  }
}

/** Does with what stands against a request what the binding asks for. */
function take(
  denial: Denial,
  {
    policy,
    binding,
    asking,
  }: Pick<BoundPolicy, 'policy'> & { binding: ValidatingAdmissionPolicyBinding; asking: Asking },
): void {
  const { validationActions = [] } = binding.spec;
  const who = { policy: policy.metadata.name, binding: binding.metadata.name };
  const annotate = asking.review.request.operation?.annotate;
  if (validationActions.includes('Deny')) asking.refusals.push({ ...who, ...denial });
  if (validationActions.includes('Audit') && annotate !== undefined) noteFailure(annotate, binding, denial);
  if (validationActions.includes('Warn'))
    asking.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${who.policy}' with binding '${who.binding}': ${denial.message}`,
    );
}

function fails({ spec }: ValidatingAdmissionPolicy): boolean {
  return spec.failurePolicy !== 'Ignore';
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function refusal(
  { policy, binding, message, reason = 'Invalid' }: Refusal,
  { resource, name }: AdmissionFacts,
  { object }: Review,
): Status {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const shown = name === '' ? (object?.metadata.generateName ?? '') : name;
  const status = forbidden(resource, shown, text, [{ message: text }]);
  return { ...status, code: codes[reason] ?? 422, reason: reason as Status['reason'] } as Status;
}
