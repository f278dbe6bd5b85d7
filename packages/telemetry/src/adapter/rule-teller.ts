import {
  type Component,
  type Controller,
  configmaps,
  createControllerRunner,
  horizontalpodautoscalers,
  type Key,
  type KubeObject,
  keyOf,
  type Plan,
  type Platform,
  type User,
  type Watch,
} from '@signalbox/cluster';
import { parseRules, RuleError } from './rule.ts';
import { ruleTexts } from './rule-book.ts';

/** Tells whoever wrote rules that cannot be read, in an event about the object that they stand in. */
export function createRuleTeller(platform: Platform, user: User): Component {
  return createControllerRunner(teller(user), platform);
}

const types = [configmaps, horizontalpodautoscalers] as const;

export interface ObservedRules {
  readonly object: KubeObject;
  /** What was wrong when it was told last. */
  readonly told: string | undefined;
}

function teller(user: User): Controller<ObservedRules, string> {
  return {
    name: 'metric-rules',
    user,
    watches: types.map(
      (type): Watch => ({
        type,
        keysOf: ({ object, previous }) =>
          [object, previous].some((each) => each !== undefined && ruleTexts(each).length > 0)
            ? [`${type.resource}/${keyOf(object)}`]
            : [],
      }),
    ),
    observe(key: Key, caches, told) {
      const [resource, ...rest] = key.split('/');
      const type = types.find((each) => each.resource === resource);
      const object = type && caches.of<KubeObject>(type).get(rest.join('/'));
      return object && { object, told };
    },
    plan: planTelling,
  };
}

export function planTelling({ object, told }: ObservedRules): Plan<string> {
  const problem = problemOf(object);
  if (problem === undefined) return { actions: [] };
  if (problem === told) return { actions: [], memory: problem };
  const note = `${problem}; none of these rules holds`;
  return {
    actions: [{ do: 'emit', regarding: object, type: 'Warning', reason: 'InvalidMetricRules', note }],
    memory: problem,
  };
}

function problemOf(object: KubeObject): string | undefined {
  try {
    for (const [at, text] of ruleTexts(object)) parseRules(text, at);
    return undefined;
  } catch (error) {
    if (error instanceof RuleError) return error.message;
    throw error;
  }
}
