import { deviceclasses, resourceclaims, resourceclaimtemplates } from '../../api/generated/kinds.ts';
import type { DeviceClass } from '../../api/generated/resource-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';
import { expressionChecks } from './expression-checks.ts';

/** Refuses selectors of devices that have mistakes or cost too much. Of claims and their templates the selectors never change. */
export const deviceSelectors: AdmissionPlugin = {
  name: 'DeviceSelectors',
  resources: [deviceclasses, resourceclaims, resourceclaimtemplates],
  checkCreate: refuse,
  checkUpdate(next, current, world) {
    const [after, before] = [next, current].map((object) => (object as Partial<DeviceClass>).spec?.selectors);
    if (after !== undefined && !equal(after, before)) refuse(next, world);
  },
};

function refuse(object: KubeObject, { served }: AdmissionWorld): void {
  const issues = [...expressionChecks.now().selectorIssues(object)];
  if (issues.length > 0) throw new StatusError(invalid(served.definition, object.metadata.name, issues));
}
