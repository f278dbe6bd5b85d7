import { parseExactJson } from '../../base/exact-json.ts';
import { lastAppliedAnnotation } from '../last-applied.ts';
import type { KubeObject } from '../meta.ts';
import { isObject } from '../record.ts';
import { compare } from './compare.ts';
import type { Conflict } from './conflict.ts';
import { difference, type FieldSet, isEmpty } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { Shape } from './shape.ts';

/**
 * Whether each field in conflict stands as `kubectl apply` without server-side apply has put it there: then the same user takes it
 * over, whoever is written to own it.
 */
export function conflictsLeft(
  conflicts: readonly Conflict[],
  { live, shape }: { readonly live: KubeObject; readonly shape: Shape },
): readonly Conflict[] {
  const own = lastAppliedFields(live, shape);
  if (own === undefined) return conflicts;
  return conflicts.flatMap(({ owner, fields }) => {
    const left = difference(fields, own);
    return isEmpty(left) ? [] : [{ owner, fields: left }];
  });
}

function lastAppliedFields(live: KubeObject, shape: Shape): FieldSet | undefined {
  const applied = parsed(live.metadata.annotations?.[lastAppliedAnnotation]);
  if (!isObject(applied) || applied['apiVersion'] !== live.apiVersion) return undefined;
  const { touched, removed } = compare(applied, live, shape);
  return difference(difference(fieldsOf(applied, shape), touched), removed);
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseExactJson(text);
  } catch {
    return undefined;
  }
}
