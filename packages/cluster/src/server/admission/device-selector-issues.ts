import type {
  DeviceClass,
  DeviceSelector,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../api/generated/resource-v1.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { selectorProblem } from '../../cel/devices.ts';
import { expressionBytesMax } from '../../resources/resource/names.ts';

/** What is wrong with the expressions of a class of devices, a claim, or a template of claims. */
export function* selectorIssues(object: KubeObject): Iterable<Issue> {
  const at = root('spec');
  switch (object.kind) {
    case 'DeviceClass':
      return yield* listIssues((object as DeviceClass).spec?.selectors, at('selectors'));
    case 'ResourceClaim':
      return yield* claimIssues((object as ResourceClaim).spec, at);
    default:
      return yield* claimIssues((object as ResourceClaimTemplate).spec?.spec, at('spec'));
  }
}

function* claimIssues(spec: Partial<ResourceClaim['spec']> | undefined, at: FieldPath): Iterable<Issue> {
  for (const [index, { exactly, firstAvailable = [] }] of (spec?.devices?.requests ?? []).entries()) {
    const place = at('devices', 'requests', index);
    yield* listIssues(exactly?.selectors, place('exactly', 'selectors'));
    for (const [choice, { selectors }] of firstAvailable.entries())
      yield* listIssues(selectors, place('firstAvailable', choice, 'selectors'));
  }
}

function* listIssues(selectors: readonly DeviceSelector[] | undefined, at: FieldPath): Iterable<Issue> {
  for (const [index, { cel }] of (selectors ?? []).entries()) {
    // What is missing or too long is told by the kind.
    if (cel === undefined || cel.expression.length > expressionBytesMax) continue;
    const place = at(index, 'cel', 'expression');
    const problem = selectorProblem(cel.expression);
    if (problem === undefined) continue;
    if ('mistake' in problem) yield place.invalid(cel.expression, problem.mistake);
    else yield place.forbidden('too complex, exceeds cost limit');
  }
}
