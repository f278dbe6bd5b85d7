import type { MutatingWebhook, ValidatingWebhook } from '../../api/generated/admissionregistration-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsSubdomainProblems } from '../../api/names.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { oneOf } from '../validation/fields.ts';
import { dnsLabel1035 } from '../validation/names.ts';
import { clientConfigIssues, defaultClientConfig, reviewVersionIssues } from './client-config.ts';
import { matchConditionIssues } from './match-conditions.ts';
import { defaultRule, ruleIssues } from './rules.ts';

type Webhook = MutatingWebhook | ValidatingWebhook;

const sideEffects: readonly string[] = ['None', 'NoneOnDryRun'];
const timeoutSecondsDefault = 10;
const timeoutSecondsMax = 30;

/** What both kinds of webhooks have. */
export function defaultWebhook<T extends Webhook>(hook: T): T {
  return {
    ...hook,
    ...(hook.clientConfig !== undefined && { clientConfig: defaultClientConfig(hook.clientConfig) }),
    failurePolicy: hook.failurePolicy ?? 'Fail',
    matchPolicy: hook.matchPolicy ?? 'Equivalent',
    namespaceSelector: hook.namespaceSelector ?? {},
    objectSelector: hook.objectSelector ?? {},
    ...(hook.rules !== undefined && { rules: hook.rules.map(defaultRule) }),
    timeoutSeconds: hook.timeoutSeconds ?? timeoutSecondsDefault,
  };
}

export function* webhooksIssues(webhooks: readonly Webhook[], at: FieldPath): Iterable<Issue> {
  for (const [index, hook] of webhooks.entries()) {
    yield* webhookIssues(hook, at(index));
    const isTaken = webhooks.findIndex(({ name }) => name === hook.name) < index;
    if (isTaken && (hook.name ?? '') !== '') yield at(index, 'name').duplicate(hook.name);
  }
}

function* webhookIssues(hook: Webhook, at: FieldPath): Iterable<Issue> {
  yield* nameIssues(hook.name ?? '', at('name'));
  for (const [index, rule] of (hook.rules ?? []).entries()) yield* ruleIssues(rule, at('rules', index));
  yield* oneOf(hook.failurePolicy, ['Fail', 'Ignore'], at('failurePolicy'));
  yield* oneOf(hook.matchPolicy, ['Equivalent', 'Exact'], at('matchPolicy'));
  // What is not given may have become empty on its way.
  if (hook.sideEffects === undefined) yield at('sideEffects').required(`must specify one of ${sideEffects.join(', ')}`);
  else yield* oneOf(hook.sideEffects, sideEffects, at('sideEffects'));
  const { timeoutSeconds = timeoutSecondsDefault } = hook;
  if (timeoutSeconds < 1 || timeoutSeconds > timeoutSecondsMax)
    yield at('timeoutSeconds').invalid(
      timeoutSeconds,
      `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`,
    );
  yield* validateSelector(hook.namespaceSelector, at('namespaceSelector'));
  yield* validateSelector(hook.objectSelector, at('objectSelector'));
  yield* clientConfigIssues(hook.clientConfig ?? {}, at('clientConfig'));
  yield* matchConditionIssues(hook.matchConditions ?? [], at('matchConditions'));
  yield* reviewVersionIssues(
    { versions: hook.admissionReviewVersions, needs: 'must specify one of v1, v1beta1', version: dnsLabel1035 },
    at('admissionReviewVersions'),
  );
}

function* nameIssues(name: string, at: FieldPath): Iterable<Issue> {
  if (name === '') {
    yield at.required();
    return;
  }
  const problems = dnsSubdomainProblems(name);
  if (problems.length > 0) yield at.invalid(name, problems.join(','));
  else if (name.split('.').length < 3)
    yield at.invalid(name, 'should be a domain with at least three segments separated by dots');
}
