import type { CustomResourceConversion } from '../../api/generated/apiextensions-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import {
  clientConfigIssues,
  defaultClientConfig,
  reviewVersionIssues,
} from '../admissionregistration/client-config.ts';
import { requiredOneOf } from '../validation/fields.ts';
import { dnsLabel1035 } from '../validation/names.ts';

export function defaultConversion(conversion: CustomResourceConversion | undefined): CustomResourceConversion {
  if (conversion === undefined) return { strategy: 'None' };
  const { webhook } = conversion;
  if (webhook?.clientConfig === undefined) return conversion;
  return { ...conversion, webhook: { ...webhook, clientConfig: defaultClientConfig(webhook.clientConfig) } };
}

/** The fields go by the names that upstream has for them inside, and in its messages. */
export function* conversionIssues(conversion: CustomResourceConversion | undefined, at: FieldPath): Iterable<Issue> {
  if (conversion === undefined) return;
  const { strategy, webhook } = conversion;
  yield* requiredOneOf(strategy, ['None', 'Webhook'], at('strategy'));
  const [config, versions] = [at('webhookClientConfig'), at('conversionReviewVersions')];
  if (strategy === 'Webhook') {
    if (webhook?.clientConfig === undefined) yield config.required('required when strategy is set to Webhook');
    else yield* clientConfigIssues(webhook.clientConfig, config);
    yield* reviewVersionIssues(
      { versions: webhook?.conversionReviewVersions, needs: '', version: dnsLabel1035 },
      versions,
    );
    return;
  }
  const unset = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) yield config.forbidden(unset);
  if ((webhook?.conversionReviewVersions ?? []).length > 0) yield versions.forbidden(unset);
}
