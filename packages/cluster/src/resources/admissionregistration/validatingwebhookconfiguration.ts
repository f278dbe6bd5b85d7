import type { ValidatingWebhookConfiguration } from '../../api/generated/admissionregistration-v1.ts';
import { validatingwebhookconfigurations } from '../../api/generated/kinds.ts';
import { integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { defaultWebhook, webhooksIssues } from './webhook.ts';

export const validatingwebhookconfigurationDefinition: ResourceDefinition<ValidatingWebhookConfiguration> =
  defineResource(validatingwebhookconfigurations, {
    schema: 'io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration',
    categories: ['api-extensions'],
    traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false },
    columns: [integerColumn('Webhooks', ({ webhooks = [] }) => webhooks.length)],
    defaults(configuration) {
      const { webhooks } = configuration;
      return webhooks === undefined ? configuration : { ...configuration, webhooks: webhooks.map(defaultWebhook) };
    },
    *validate({ webhooks = [] }, root) {
      yield* webhooksIssues(webhooks, root('webhooks'));
    },
  });
