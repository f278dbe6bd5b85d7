import type { MutatingWebhookConfiguration } from '../../api/generated/admissionregistration-v1.ts';
import { mutatingwebhookconfigurations } from '../../api/generated/kinds.ts';
import { integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf } from '../validation/fields.ts';
import { defaultWebhook, webhooksIssues } from './webhook.ts';

export const mutatingwebhookconfigurationDefinition: ResourceDefinition<MutatingWebhookConfiguration> = defineResource(
  mutatingwebhookconfigurations,
  {
    schema: 'io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration',
    categories: ['api-extensions'],
    traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false },
    columns: [integerColumn('Webhooks', ({ webhooks = [] }) => webhooks.length)],
    defaults(configuration) {
      const { webhooks } = configuration;
      if (webhooks === undefined) return configuration;
      return {
        ...configuration,
        webhooks: webhooks.map((hook) => ({
          ...defaultWebhook(hook),
          reinvocationPolicy: hook.reinvocationPolicy ?? 'Never',
        })),
      };
    },
    *validate({ webhooks = [] }, root) {
      const at = root('webhooks');
      yield* webhooksIssues(webhooks, at);
      for (const [index, { reinvocationPolicy }] of webhooks.entries())
        yield* oneOf(reinvocationPolicy, ['IfNeeded', 'Never'], at(index, 'reinvocationPolicy'));
    },
  },
);
