import { mutatingwebhookconfigurations, validatingwebhookconfigurations } from '../../api/generated/kinds.ts';
import type { AdmissionPlugin } from '../context/admission.ts';
import { expressionChecks } from './expression-checks.ts';

/** Finds match conditions of webhooks that could never be told. Not the kinds' own to say: clients have those without the language. */
export const hookConditions: AdmissionPlugin = {
  name: 'WebhookMatchConditions',
  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations],
  issues: ({ next }) => expressionChecks.now().hookIssues(next),
};
