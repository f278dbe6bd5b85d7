/** Who is asked again, where policies and webhooks change the same object. */
import { expect, test } from 'vitest';
import { configmaps, mutatingadmissionpolicies, mutatingadmissionpolicybindings } from '../../api/generated/kinds.ts';
import { mutatingadmissionpolicyDefinition } from '../../resources/admissionregistration/mutatingadmissionpolicy.ts';
import { mutatingadmissionpolicybindingDefinition } from '../../resources/admissionregistration/mutatingadmissionpolicybinding.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { configMap } from '../../testing/api-server.ts';
import { patchOf } from '../../testing/server/fake-hooks.ts';
import { createWebhookWorld, type WebhookWorld } from '../../testing/server/webhook-world.ts';

type Again = 'IfNeeded' | 'Never';

interface Given {
  /** Policies by their letter; they are asked in this order. */
  readonly policies: Readonly<Record<string, Again>>;
  /** Webhooks by their letter. */
  readonly webhooks: Readonly<Record<string, Again>>;
}

/** Everybody adds a letter to `data.seen`: what comes of it says who was asked, and in which order. */
async function seen({ policies, webhooks }: Given): Promise<unknown> {
  const definitions = [mutatingadmissionpolicyDefinition, mutatingadmissionpolicybindingDefinition];
  const world = await createWebhookWorld({ definitions: definitions as unknown as readonly ResourceDefinition[] });
  for (const [letter, again] of Object.entries(policies)) await policy(world, letter, again);
  for (const letter of Object.keys(webhooks))
    world.hooks.answers.set(`/${letter}`, ({ object }) => {
      const { data } = object as { readonly data: { readonly seen: string } };
      return patchOf({ op: 'replace', path: '/data/seen', value: data.seen + letter });
    });
  const hooks = Object.entries(webhooks).map(([name, reinvocationPolicy]) => ({ name, reinvocationPolicy }));
  await world.mutating('m', ...hooks);
  await world.create(configmaps, configMap('c', { data: { seen: '' } }));
  return ((await world.get(configmaps, 'c')) as { readonly data?: { readonly seen?: string } }).data?.seen;
}

async function policy(world: WebhookWorld, letter: string, reinvocationPolicy: Again): Promise<void> {
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
  ];
  const expression = `Object{data: {'seen': object.data.seen + '${letter}'}}`;
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  const spec = { reinvocationPolicy, matchConstraints: { resourceRules }, mutations };
  await world.create(mutatingadmissionpolicies, { metadata: { name: letter }, spec });
  await world.create(mutatingadmissionpolicybindings, { metadata: { name: letter }, spec: { policyName: letter } });
}

const never: Again = 'Never';
const ifNeeded: Again = 'IfNeeded';

test.each<[string, Given, string]>([
  ['policies come first, and nobody comes back', { policies: { p: never }, webhooks: { w: never } }, 'pw'],
  ['a webhook brings a policy back', { policies: { p: ifNeeded }, webhooks: { w: never } }, 'pwp'],
  ['a policy before it brings no webhook back', { policies: { p: never }, webhooks: { w: ifNeeded } }, 'pw'],
  [
    'a policy that was brought back brings webhooks back',
    { policies: { p: ifNeeded }, webhooks: { w: ifNeeded } },
    'pwpw',
  ],
  [
    'only those that want it come back, once',
    { policies: { p: ifNeeded, q: never }, webhooks: { v: never, w: ifNeeded } },
    'pqvwpw',
  ],
])('%s', async (_, given, expected) => {
  expect(await seen(given)).toBe(expected);
});
