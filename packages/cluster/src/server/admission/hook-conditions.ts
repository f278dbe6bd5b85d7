import { mutatingwebhookconfigurations, validatingwebhookconfigurations } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';
import { expressionChecks } from './expression-checks.ts';

/** Refuses match conditions of webhooks that could never be told. Not the kinds' own to say: clients have those without the language. */
export const hookConditions: AdmissionPlugin = {
  name: 'WebhookMatchConditions',
  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations],
  checkCreate: refuse,
  checkUpdate: (next, _current, world) => refuse(next, world),
};

function refuse(object: KubeObject, { served }: AdmissionWorld): void {
  const issues = [...expressionChecks.now().hookIssues(object)];
  if (issues.length > 0) throw new StatusError(invalid(served.definition, object.metadata.name, issues));
}
