import { equivalentsOf } from '../admission/facts.ts';
import { type AdmissionFacts, isAdmissionConfiguration, matchRules } from '../admission/matching.ts';
import type { ServerContext } from '../context/context.ts';
import type { Reviewer } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';
import type { Calling } from './call.ts';
import type { Hook, Hooks } from './configurations.ts';
import { mutate } from './mutate.ts';
import { validate } from './validate.ts';

export interface WebhookReviewing {
  readonly hooks: Hooks;
  readonly context: () => ServerContext;
  readonly calling: () => Calling;
}

/** All webhooks together may hold a request as long as a request may take; each of them has a limit of its own. */
const limitMs = 60_000;

/** Asks the webhooks that are configured about writes, as upstream does. */
export function createWebhookReviewer({ hooks, context, calling }: WebhookReviewing): Reviewer {
  const asking = (): { context: ServerContext; calling: Calling } => ({ context: context(), calling: calling() });
  return {
    name: 'webhooks',
    limitMs,
    concerns(request) {
      const all = [hooks.mutating(), hooks.validating()];
      if (all.every(({ length }) => length === 0) || isAdmissionConfiguration(request.served.definition)) return false;
      const facts = factsBeforehand(request);
      return all.some((some) => some.some((hook) => mayConcern(hook, { facts, request, context: context() })));
    },
    mutate: (review, waiting) => mutate({ ...asking(), hooks: hooks.mutating() }, review, waiting),
    judge: (review, waiting) => validate({ ...asking(), hooks: hooks.validating() }, review, waiting),
  };
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
