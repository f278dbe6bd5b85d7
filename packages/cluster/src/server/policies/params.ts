import type { ParamKind, ParamRef } from '../../api/generated/admissionregistration-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { compileSelector } from '../../api/selector/selector.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';

/** Why a policy cannot be asked: it, or its binding, is not set up right. */
export class Misconfigured extends Error {}

export interface ParamQuestion {
  readonly kind: ParamKind | undefined;
  readonly ref: ParamRef | undefined;
  /** Of the request. */
  readonly namespace: string;
}

/** Why a policy cannot be asked whatever its bindings say, if it cannot: the kind of its parameters is not served. */
export function paramKindProblem({ registry }: ServerContext, kind: ParamKind | undefined): string | undefined {
  if (kind === undefined || servedAs(registry, kind) !== undefined) return undefined;
  const { apiVersion = '', kind: name = '' } = kind;
  return `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${name}'`;
}

function servedAs(registry: ServerContext['registry'], { apiVersion = '', kind = '' }: ParamKind): Served | undefined {
  return registry.all().find((each) => each.apiVersion === apiVersion && each.definition.kind === kind);
}

/** The objects that a policy is asked with, one after the other; null where it takes none. */
export function paramsOf(
  context: ServerContext,
  { kind, ref, namespace }: ParamQuestion,
): readonly (KubeObject | null)[] {
  if (kind === undefined || ref === undefined) return [null];
  const found = foundParams(context, { kind, ref, namespace });
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new Misconfigured('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

function foundParams(
  { store, registry }: ServerContext,
  { kind, ref, namespace }: { readonly kind: ParamKind; readonly ref: ParamRef; readonly namespace: string },
): readonly KubeObject[] {
  const served = servedAs(registry, kind);
  if (served === undefined) return [];
  const { namespaced } = served.definition;
  if (!namespaced && (ref.namespace ?? '') !== '')
    throw new Misconfigured('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const within = namespaced ? ref.namespace || namespace : undefined;
  if (within === '')
    throw new Misconfigured('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const shown = (value: unknown): KubeObject => served.conversion.fromStored(value as KubeObject);
  if (ref.name !== undefined && ref.name !== '') {
    const stored = store.get(objectKey(served.prefix, within, ref.name));
    return stored === undefined ? [] : [shown(stored.value)];
  }
  const matches = compileSelector(ref.selector ?? {});
  const listed = store.list(within === undefined ? served.prefix : objectKey(served.prefix, within, ''));
  if ('expired' in listed) return [];
  return listed.items.map(({ value }) => shown(value)).filter(({ metadata }) => matches(metadata.labels));
}
