import type { Pod, PodSpec, PodTemplateSpec } from '../api/generated/core-v1.ts';
import type { KubeObject, New, ObjectMeta } from '../api/meta.ts';
import { controllerReference } from './owner.ts';

export interface PodOptions {
  readonly owner: KubeObject;
  /** Without a name the server makes one from `<owner>-`, which every pod carries. */
  readonly name?: string;
  /** Added to the template's labels. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: PodSpec;
}

/** A pod as its template and its owner want it. Parts of the template are shared, not copied. */
export function podFromTemplate(
  template: PodTemplateSpec,
  { owner, name, labels, spec = template.spec }: PodOptions,
): New<Pod> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadataOf(template), ...nameOf(owner, name), ...withLabels(template, labels), ...placeOf(owner) },
    spec: spec ?? { containers: [] },
  };
}

function metadataOf({ metadata }: PodTemplateSpec): ObjectMeta {
  return {
    ...(metadata?.annotations !== undefined && { annotations: metadata.annotations }),
    ...(metadata?.finalizers !== undefined && { finalizers: metadata.finalizers }),
  };
}

function nameOf(owner: KubeObject, name: string | undefined): ObjectMeta {
  return { generateName: `${owner.metadata.name}-`, ...(name !== undefined && { name }) };
}

function withLabels({ metadata }: PodTemplateSpec, labels: Readonly<Record<string, string>> | undefined): ObjectMeta {
  return { labels: { ...metadata?.labels, ...labels } };
}

function placeOf(owner: KubeObject): ObjectMeta {
  const { namespace } = owner.metadata;
  return { ...(namespace !== undefined && { namespace }), ownerReferences: [controllerReference(owner)] };
}
