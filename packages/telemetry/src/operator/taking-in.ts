import {
  type CustomResourceDefinition,
  checkSchema,
  customResourceSchema,
  defaultValue,
  freeze,
  type KubeObject,
  type New,
  rootPath,
  schemaOf,
  validateValue,
} from '@signalbox/cluster';
import type { Finding } from '../world/findings.ts';

/** Manifests as a server would hold them, and what it would have refused. */
export interface TakenIn {
  readonly objects: readonly KubeObject[];
  /** Errors: the object was left out. Warnings: fields that nobody knows were left out. */
  readonly findings: readonly Finding[];
}

/** `monitoring.grafana.com/v1alpha1/PodLogs` to what its definition says; undefined: nothing is known of it. */
export type KindOf = (kind: string) => CustomKind | undefined;

/** As `takeIn`, of the custom kinds that are given. */
export function takeInAs(manifests: Iterable<KubeObject>, kindOf: KindOf): TakenIn {
  const objects: KubeObject[] = [];
  const findings: Finding[] = [];
  for (const manifest of manifests) {
    const { object, problems } = taken(manifest, kindOf);
    findings.push(...problems);
    if (object !== undefined) objects.push(freeze(object));
  }
  return { objects, findings };
}

type Schema = ReturnType<typeof schemaOf>;

interface Taken {
  /** Undefined: refused. */
  readonly object: KubeObject | undefined;
  readonly problems: readonly Finding[];
}

function taken(manifest: KubeObject, kindOf: KindOf): Taken {
  const kind = `${manifest.apiVersion}/${manifest.kind}`;
  const custom = kindOf(kind);
  const schema = custom?.schema ?? builtinSchema(kind);
  if (schema === undefined) return { object: manifest, problems: [] };
  const finding = (severity: Finding['severity'], reason: string, field: string, message: string): Finding => ({
    severity,
    regarding: manifest,
    reason,
    field,
    message,
  });
  const checked = checkSchema(manifest, schema, { unknownFields: 'prune' });
  const filled = (custom === undefined ? checked.object : defaultValue(checked.object, schema)) as KubeObject;
  const issues = [...checked.typeErrors, ...(custom === undefined ? [] : validateValue(filled, schema, rootPath))];
  // A value of the wrong type is found by both checks.
  const errors = new Map(issues.map(({ field, message }) => [field, finding('error', 'Invalid', field, message)]));
  if (typeof manifest.metadata?.name !== 'string' || manifest.metadata.name === '')
    errors.set('metadata.name', finding('error', 'Invalid', 'metadata.name', 'Required value: name is required'));
  const warnings = checked.unknown.map((field) => finding('warning', 'UnknownField', field, 'nobody knows this field'));
  const problems = [...errors.values(), ...warnings];
  if (errors.size > 0) return { object: undefined, problems };
  const namespaced = custom?.namespaced ?? kind !== 'v1/Namespace';
  return { object: namespaced ? placed(filled) : filled, problems };
}

function placed(object: KubeObject): KubeObject {
  return { ...object, metadata: { namespace: 'default', ...object.metadata } };
}

const builtins: ReadonlySet<string> = new Set(['v1/ConfigMap', 'v1/Namespace', 'v1/Secret']);

function builtinSchema(kind: string): Schema | undefined {
  return builtins.has(kind) ? schemaOf(`io.k8s.api.core.${kind.replace('/', '.')}`) : undefined;
}

export interface CustomKind {
  readonly schema: Schema;
  readonly namespaced: boolean;
}

/** What a definition says of each of its versions. */
export function* kindsOf({
  spec,
}: New<CustomResourceDefinition>): Iterable<readonly [kind: string, custom: CustomKind]> {
  for (const version of spec.versions)
    yield [
      `${spec.group}/${version.name}/${spec.names.kind}`,
      {
        schema: customResourceSchema(version.schema?.openAPIV3Schema),
        namespaced: spec.scope === 'Namespaced',
      },
    ];
}
