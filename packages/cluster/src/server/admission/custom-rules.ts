import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { mentionsRules } from '../../resources/apiextensions/rules/has-rules.ts';
import { ruleLanguage } from '../../resources/apiextensions/rules/language.ts';
import { schemasOf } from '../../resources/apiextensions/validation.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';
import { type IsSound, schemasIn } from './sound-definitions.ts';

/**
 * Refuses definitions whose rules have mistakes or cost too much. Not the kind's own to say: clients have that without the
 * language. An update that leaves the schemas alone is not asked again, nor is a definition that is known to be good.
 */
export function createCustomRules(isSound: IsSound): AdmissionPlugin {
  const refuse = (object: CustomResourceDefinition, { served }: AdmissionWorld): void => {
    const { metadata, spec } = object;
    if (isSound(object)) return;
    const issues = schemasOf(spec.versions).flatMap(({ schema, at }) =>
      mentionsRules(schema) ? [...ruleLanguage.now().definitionRuleIssues(schema, at)] : [],
    );
    if (issues.length > 0) throw new StatusError(invalid(served.definition, metadata.name, issues));
  };
  return {
    name: 'CustomResourceRules',
    resources: [customresourcedefinitions],
    checkCreate: (object, world) => refuse(object as CustomResourceDefinition, world),
    checkUpdate(next, current, world) {
      const [after, before] = [next, current].map((object) => schemasIn((object as CustomResourceDefinition).spec));
      if (!equal(after, before)) refuse(next as CustomResourceDefinition, world);
    },
  };
}
