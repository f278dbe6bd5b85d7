/** The part of an OpenAPI v2 document that the generator reads. */
export interface OpenApiDocument {
  readonly definitions: Readonly<Record<string, Definition>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Definition {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly required?: readonly string[];
  readonly items?: Definition;
  readonly additionalProperties?: Definition | boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export type Definitions = ReadonlyMap<string, Definition>;

/** `#/definitions/io.k8s.api.core.v1.Pod` → `io.k8s.api.core.v1.Pod`. */
export function refTarget(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** `io.k8s.api.core.v1.Pod` → `{ module: 'core-v1', name: 'Pod' }`. */
export function moduleOf(definition: string): { readonly module: string; readonly name: string } {
  const parts = definition.split('.');
  const name = parts.at(-1) ?? '';
  return { module: `${parts.at(-3)}-${parts.at(-2)}`, name };
}
