/** Pod templates as every workload uses them: one door to their defaults and their rules. */
export { defaultPodTemplate } from './defaults.ts';
export { type PodTemplateOptions, validatePodTemplate } from './validation/spec.ts';
