import type { Texts } from './texts.ts';

const text = (words: string): Texts[string] => ({ '': words });

const mutating = text(
  'A MutatingAdmissionPolicy is a set of expressions that change objects. It counts where it is bound.',
);
const binding = text('A MutatingAdmissionPolicyBinding says where a policy counts, and with which parameters.');

/** What kinds are for of which no more is said than that. */
export const kindTexts: Texts = {
  'admissionregistration.v1.MutatingWebhookConfiguration': text(
    'A MutatingWebhookConfiguration names servers that may change objects before they are stored.',
  ),
  'admissionregistration.v1.ValidatingWebhookConfiguration': text(
    'A ValidatingWebhookConfiguration names servers that may refuse objects before they are stored.',
  ),
  'admissionregistration.v1.ValidatingAdmissionPolicy': text(
    'A ValidatingAdmissionPolicy is a set of expressions that objects have to meet. It counts where it is bound.',
  ),
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': text(
    'A ValidatingAdmissionPolicyBinding says where a policy counts, with which parameters, and what follows from a miss.',
  ),
  'admissionregistration.v1alpha1.MutatingAdmissionPolicy': mutating,
  'admissionregistration.v1beta1.MutatingAdmissionPolicy': mutating,
  'admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding': binding,
  'admissionregistration.v1beta1.MutatingAdmissionPolicyBinding': binding,
  'apps.v1.ControllerRevision': text('A ControllerRevision is an earlier state of a template, kept for a rollback.'),
  'authentication.v1.SelfSubjectReview': text('A SelfSubjectReview asks who somebody is to the API.'),
  'authentication.v1.TokenRequest': text('A TokenRequest asks for a token of a service account.'),
  'authentication.v1.TokenReview': text('A TokenReview asks whose a token is.'),
  'authorization.v1.LocalSubjectAccessReview': text(
    'A LocalSubjectAccessReview asks whether somebody may do something in one namespace.',
  ),
  'authorization.v1.SelfSubjectAccessReview': text(
    'A SelfSubjectAccessReview asks whether one may do something oneself.',
  ),
  'authorization.v1.SelfSubjectRulesReview': text('A SelfSubjectRulesReview asks what all one may do in a namespace.'),
  'authorization.v1.SubjectAccessReview': text('A SubjectAccessReview asks whether somebody may do something.'),
  'autoscaling.v1.HorizontalPodAutoscaler': text(
    'A HorizontalPodAutoscaler scales something with the load of its pods, by CPU alone in this version.',
  ),
  'autoscaling.v1.Scale': text('A Scale is how many pods something should have, and has.'),
  'certificates.v1.CertificateSigningRequest': text(
    'A CertificateSigningRequest asks a signer for a certificate, which somebody has to approve.',
  ),
  'coordination.v1.Lease': text('A Lease says who holds something, and until when.'),
  'coordination.v1beta1.LeaseCandidate': text('A LeaseCandidate is somebody who would hold a lease.'),
  'core.v1.Binding': text('A Binding gives a pod its node.'),
  'core.v1.ComponentStatus': text('A ComponentStatus tells whether a part of the control plane is well. Deprecated.'),
  'core.v1.Endpoints': text('Endpoints are the addresses behind a Service. Deprecated in favour of EndpointSlices.'),
  'core.v1.LimitRange': text('A LimitRange bounds what single pods, containers and claims of a namespace may ask for.'),
  'core.v1.PersistentVolume': text('A PersistentVolume is storage that exists apart from pods.'),
  'core.v1.PersistentVolumeClaim': text('A PersistentVolumeClaim asks for storage for pods of its namespace.'),
  'core.v1.PodTemplate': text('A PodTemplate is a template of pods that is kept by itself.'),
  'core.v1.ReplicationController': text(
    'A ReplicationController keeps a number of equal pods running. Deployments do more.',
  ),
  'core.v1.ResourceQuota': text('A ResourceQuota bounds what all of a namespace may take together.'),
  'discovery.v1.EndpointSlice': text('An EndpointSlice holds some of the addresses behind a Service.'),
  'events.v1.Event': text('An Event is something that happened to an object. Events are forgotten after an hour.'),
  'flowcontrol.v1.FlowSchema': text('A FlowSchema says which requests have which priority.'),
  'flowcontrol.v1.PriorityLevelConfiguration': text(
    'A PriorityLevelConfiguration says how many requests of a priority are answered at once, and what becomes of more.',
  ),
  'networking.v1.IPAddress': text('An IPAddress is an address that a Service has.'),
  'networking.v1.IngressClass': text('An IngressClass names a controller that serves Ingresses.'),
  'networking.v1.NetworkPolicy': text('A NetworkPolicy says who may reach some pods, and whom they may reach.'),
  'networking.v1.ServiceCIDR': text('A ServiceCIDR is a range from which Services get their addresses.'),
  'node.v1.RuntimeClass': text('A RuntimeClass names a way in which nodes run containers.'),
  'policy.v1.Eviction': text('An Eviction asks for the end of a pod, within its disruption budgets.'),
  'resource.v1.DeviceClass': text('A DeviceClass is a kind of device that claims may ask for.'),
  'resource.v1.ResourceClaim': text('A ResourceClaim asks for devices for pods.'),
  'resource.v1.ResourceClaimTemplate': text('A ResourceClaimTemplate is what a claim for each pod is made from.'),
  'resource.v1.ResourceSlice': text('A ResourceSlice is what devices a driver has.'),
  'scheduling.v1.PriorityClass': text('A PriorityClass says how important pods are.'),
  'storage.v1.CSIDriver': text('A CSIDriver says what a driver of volumes can do.'),
  'storage.v1.CSINode': text('A CSINode says which drivers of volumes a node has.'),
  'storage.v1.CSIStorageCapacity': text('A CSIStorageCapacity says how much room a class has in one place.'),
  'storage.v1.StorageClass': text('A StorageClass is a way in which volumes are made for claims.'),
  'storage.v1.VolumeAttachment': text('A VolumeAttachment says that a volume is to be attached to a node.'),
  'storage.v1.VolumeAttributesClass': text(
    'A VolumeAttributesClass is a set of attributes that volumes can change to.',
  ),
};
