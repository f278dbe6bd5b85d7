import { priorityclasses } from '../../api/generated/kinds.ts';
import type { PriorityClass } from '../../api/generated/scheduling-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { builtinPriorityClasses } from '../../resources/scheduling/priorityclass.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

/** There is one class at most that pods have which name none. */
export const priorityAdmission: AdmissionPlugin = {
  name: 'Priority',
  resources: [priorityclasses],
  checkCreate: refuseSecondDefault,
  checkUpdate: (next, _, world) => refuseSecondDefault(next, world),
};

/** Those of the system are there for good, whatever rules are left out. */
export const systemPriorityClasses: AdmissionPlugin = {
  name: 'SystemPriorityClasses',
  resources: [priorityclasses],
  delete({ metadata }) {
    if (builtinPriorityClasses.some((builtin) => builtin.metadata.name === metadata.name))
      throw refusal(metadata.name, 'this is a system priority class and cannot be deleted');
  },
};

function refuseSecondDefault(object: KubeObject, { list }: AdmissionWorld): void {
  const { metadata, globalDefault } = object as PriorityClass;
  if (globalDefault !== true) return;
  const other = list(priorityclasses).find((each) => each.globalDefault === true);
  // One that is it already may be changed. Of two from before neither may, until one of them lets go.
  if (other === undefined || other.metadata.name === metadata.name) return;
  throw refusal(
    metadata.name,
    `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
  );
}

function refusal(name: string, why: string): StatusError {
  return new StatusError(forbidden(priorityclasses, name, why));
}
