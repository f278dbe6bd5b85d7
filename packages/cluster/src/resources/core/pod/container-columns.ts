import type { PodTemplateSpec } from '../../../api/generated/core-v1.ts';

/** `a,b`: the wide columns of every workload. */
export function containerNames(template: PodTemplateSpec | undefined): string {
  return (template?.spec?.containers ?? []).map(({ name }) => name).join(',');
}

export function containerImages(template: PodTemplateSpec | undefined): string {
  return (template?.spec?.containers ?? []).map(({ image = '' }) => image).join(',');
}
