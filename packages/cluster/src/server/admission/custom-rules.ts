import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { definitionRuleIssues } from '../../resources/apiextensions/rules/definition-rules.ts';
import { schemasOf } from '../../resources/apiextensions/validation.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

/**
 * Refuses definitions whose rules have mistakes or cost too much. Not the kind's own to say: clients have that without the
 * language. An update that leaves the schemas alone is not asked again.
 */
export const customRules: AdmissionPlugin = {
  name: 'CustomResourceRules',
  resources: [customresourcedefinitions],
  checkCreate: (object, world) => refuse(object as CustomResourceDefinition, world),
  checkUpdate(next, current, world) {
    const [after, before] = [next, current].map((object) => schemasIn(object as CustomResourceDefinition));
    if (!equal(after, before)) refuse(next as CustomResourceDefinition, world);
  },
};

function schemasIn({ spec }: CustomResourceDefinition): readonly unknown[] {
  return schemasOf(spec.versions).map(({ schema }) => schema);
}

function refuse({ metadata, spec }: CustomResourceDefinition, { served }: AdmissionWorld): void {
  const issues = schemasOf(spec.versions).flatMap(({ schema, at }) => [...definitionRuleIssues(schema, at)]);
  if (issues.length > 0) throw new StatusError(invalid(served.definition, metadata.name, issues));
}
