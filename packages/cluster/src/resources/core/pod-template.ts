/** Pod templates as every workload uses them: one door to their defaults and their rules. */
export { defaultPodTemplate } from './pod-defaults.ts';
export { type PodTemplateOptions, validatePodTemplate } from './pod-validation.ts';
