import { equivalentsOf } from '../admission/facts.ts';
import { type AdmissionFacts, isAdmissionConfiguration, matchRules } from '../admission/matching.ts';
import type { MutatorGroup } from '../admission/mutation-rounds.ts';
import type { ServerContext } from '../context/context.ts';
import type { Reviewer } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';
import type { Calling } from './call.ts';
import type { Hook, Hooks } from './configurations.ts';
import { hookMutator } from './mutate.ts';
import { validate } from './validate.ts';

export interface WebhookReviewing {
  readonly hooks: Hooks;
  readonly context: () => ServerContext;
  readonly calling: () => Calling;
}

/** Asks the validating webhooks that are configured about writes, as upstream does. */
export function createWebhookReviewer({ hooks, context, calling }: WebhookReviewing): Reviewer {
  return {
    name: 'webhooks',
    limitMs: webhooksLimitMs,
    concerns: (request) => concernsAny(hooks.validating(), { request, context }),
    judge: (review, waiting) =>
      validate({ context: context(), calling: calling(), hooks: hooks.validating() }, review, waiting),
  };
}

export function webhookMutators({ hooks, context, calling }: WebhookReviewing): MutatorGroup {
  return {
    concerns: (request) => concernsAny(hooks.mutating(), { request, context }),
    begin: () => {
      const mutating = { context: context(), calling: calling() };
      return Promise.resolve({ mutators: hooks.mutating().map((hook) => hookMutator(mutating, hook)) });
    },
  };
}

/** All webhooks together may hold a request as long as a request may take; each of them has a limit of its own. */
export const webhooksLimitMs = 60_000;

function concernsAny(
  hooks: readonly Hook[],
  { request, context }: { readonly request: WriteRequest; readonly context: () => ServerContext },
): boolean {
  if (hooks.length === 0 || isAdmissionConfiguration(request.served.definition)) return false;
  const facts = factsBeforehand(request);
  return hooks.some((hook) => mayConcern(hook, { facts, request, context: context() }));
}

const operations = {
  create: 'CREATE',
  update: 'UPDATE',
  patch: 'UPDATE',
  delete: 'DELETE',
  connect: 'CONNECT',
} as const;

/** As much as can be told before there is an object. Rules ask for no more. */
function factsBeforehand({ served, verb, subresource, operation }: WriteRequest): AdmissionFacts {
  const { definition } = served;
  return {
    operation: operations[verb],
    resource: definition,
    subresource: subresource ?? '',
    kind: definition,
    name: '',
    namespace: definition.namespaced ? (operation?.namespace ?? 'default') : '',
  };
}

interface Concerning {
  readonly facts: AdmissionFacts;
  readonly request: WriteRequest;
  readonly context: ServerContext;
}

function mayConcern({ webhook }: Hook, { facts, request, context }: Concerning): boolean {
  const { rules = [], matchPolicy } = webhook;
  const equivalents = (): ReturnType<typeof equivalentsOf> =>
    equivalentsOf(context.registry, request.served, facts.subresource);
  return matchRules(rules, facts, { matchPolicy, equivalents }) !== undefined;
}
