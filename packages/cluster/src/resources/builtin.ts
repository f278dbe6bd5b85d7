/** Every kind that is served from the start, in the order in which discovery lists them. */

import {
  mutatingadmissionpolicyAlphaDefinition,
  mutatingadmissionpolicyDefinition,
} from './admissionregistration/mutatingadmissionpolicy.ts';
import {
  mutatingadmissionpolicybindingAlphaDefinition,
  mutatingadmissionpolicybindingDefinition,
} from './admissionregistration/mutatingadmissionpolicybinding.ts';
import { mutatingwebhookconfigurationDefinition } from './admissionregistration/mutatingwebhookconfiguration.ts';
import { validatingadmissionpolicyDefinition } from './admissionregistration/validatingadmissionpolicy.ts';
import { validatingadmissionpolicybindingDefinition } from './admissionregistration/validatingadmissionpolicybinding.ts';
import { validatingwebhookconfigurationDefinition } from './admissionregistration/validatingwebhookconfiguration.ts';
import { customresourcedefinitionDefinition } from './apiextensions/customresourcedefinition.ts';
import { apiserviceDefinition } from './apiregistration/apiservice.ts';
import { controllerrevisionDefinition } from './apps/controllerrevision.ts';
import { daemonsetDefinition } from './apps/daemonset.ts';
import { deploymentDefinition } from './apps/deployment.ts';
import { replicasetDefinition } from './apps/replicaset.ts';
import { statefulsetDefinition } from './apps/statefulset.ts';
import { horizontalpodautoscalerDefinition } from './autoscaling/horizontalpodautoscaler.ts';
import { horizontalpodautoscalerV1Definition } from './autoscaling/horizontalpodautoscaler-v1.ts';
import { cronjobDefinition } from './batch/cronjob.ts';
import { jobDefinition } from './batch/job.ts';
import { certificatesigningrequestDefinition } from './certificates/certificatesigningrequest.ts';
import { leaseDefinition } from './coordination/lease.ts';
import { leasecandidateDefinition } from './coordination/leasecandidate.ts';
import { configmapDefinition } from './core/configmap.ts';
import { endpointsDefinition } from './core/endpoints.ts';
import { eventDefinition } from './core/event.ts';
import { limitrangeDefinition } from './core/limitrange.ts';
import { namespaceDefinition } from './core/namespace.ts';
import { nodeDefinition } from './core/node.ts';
import { persistentvolumeDefinition } from './core/persistentvolume.ts';
import { persistentvolumeclaimDefinition } from './core/persistentvolumeclaim.ts';
import { podDefinition } from './core/pod/pod.ts';
import { podtemplateDefinition } from './core/pod/podtemplate.ts';
import { replicationcontrollerDefinition } from './core/replicationcontroller.ts';
import { resourcequotaDefinition } from './core/resourcequota.ts';
import { secretDefinition } from './core/secret.ts';
import { serviceDefinition } from './core/service/service.ts';
import { serviceaccountDefinition } from './core/serviceaccount.ts';
import { endpointsliceDefinition } from './discovery/endpointslice.ts';
import { eventsEventDefinition } from './events/event.ts';
import { flowschemaDefinition } from './flowcontrol/flowschema.ts';
import { prioritylevelconfigurationDefinition } from './flowcontrol/prioritylevelconfiguration.ts';
import { ingressDefinition } from './networking/ingress.ts';
import { ingressclassDefinition } from './networking/ingressclass.ts';
import { ipaddressDefinition } from './networking/ipaddress.ts';
import { networkpolicyDefinition } from './networking/networkpolicy.ts';
import { servicecidrDefinition } from './networking/servicecidr.ts';
import { runtimeclassDefinition } from './node/runtimeclass.ts';
import { poddisruptionbudgetDefinition } from './policy/poddisruptionbudget.ts';
import { clusterroleDefinition } from './rbac/clusterrole.ts';
import { clusterrolebindingDefinition } from './rbac/clusterrolebinding.ts';
import { roleDefinition } from './rbac/role.ts';
import { rolebindingDefinition } from './rbac/rolebinding.ts';
import { deviceclassDefinition } from './resource/deviceclass.ts';
import { resourceclaimDefinition } from './resource/resourceclaim.ts';
import { resourceclaimtemplateDefinition } from './resource/resourceclaimtemplate.ts';
import { resourcesliceDefinition } from './resource/resourceslice.ts';
import type { ResourceDefinition } from './resource.ts';
import { priorityclassDefinition } from './scheduling/priorityclass.ts';
import { csidriverDefinition } from './storage/csidriver.ts';
import { csinodeDefinition } from './storage/csinode.ts';
import { csistoragecapacityDefinition } from './storage/csistoragecapacity.ts';
import { storageclassDefinition } from './storage/storageclass.ts';
import { volumeattachmentDefinition } from './storage/volumeattachment.ts';
import { volumeattributesclassDefinition } from './storage/volumeattributesclass.ts';

export const builtinDefinitions: readonly ResourceDefinition[] = [
  configmapDefinition,
  endpointsDefinition,
  eventDefinition,
  limitrangeDefinition,
  namespaceDefinition,
  nodeDefinition,
  persistentvolumeclaimDefinition,
  persistentvolumeDefinition,
  podDefinition,
  podtemplateDefinition,
  replicationcontrollerDefinition,
  resourcequotaDefinition,
  secretDefinition,
  serviceaccountDefinition,
  serviceDefinition,
  mutatingwebhookconfigurationDefinition,
  validatingadmissionpolicyDefinition,
  validatingadmissionpolicybindingDefinition,
  validatingwebhookconfigurationDefinition,
  mutatingadmissionpolicyDefinition,
  mutatingadmissionpolicybindingDefinition,
  mutatingadmissionpolicyAlphaDefinition,
  mutatingadmissionpolicybindingAlphaDefinition,
  customresourcedefinitionDefinition,
  apiserviceDefinition,
  controllerrevisionDefinition,
  daemonsetDefinition,
  deploymentDefinition,
  replicasetDefinition,
  statefulsetDefinition,
  horizontalpodautoscalerDefinition,
  horizontalpodautoscalerV1Definition,
  cronjobDefinition,
  jobDefinition,
  certificatesigningrequestDefinition,
  leaseDefinition,
  leasecandidateDefinition,
  endpointsliceDefinition,
  eventsEventDefinition,
  flowschemaDefinition,
  prioritylevelconfigurationDefinition,
  ingressclassDefinition,
  ingressDefinition,
  ipaddressDefinition,
  networkpolicyDefinition,
  servicecidrDefinition,
  runtimeclassDefinition,
  poddisruptionbudgetDefinition,
  clusterrolebindingDefinition,
  clusterroleDefinition,
  rolebindingDefinition,
  roleDefinition,
  deviceclassDefinition,
  resourceclaimDefinition,
  resourceclaimtemplateDefinition,
  resourcesliceDefinition,
  priorityclassDefinition,
  csidriverDefinition,
  csinodeDefinition,
  csistoragecapacityDefinition,
  storageclassDefinition,
  volumeattachmentDefinition,
  volumeattributesclassDefinition,
];
