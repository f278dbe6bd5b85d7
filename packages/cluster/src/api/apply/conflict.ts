import type { StatusCause } from '../status.ts';
import { failure, type Status } from '../status.ts';
import { showStep } from './element.ts';
import { type FieldSet, intersection, isEmpty, pathsOf } from './field-set.ts';
import { type Actor, isSameActor, type Owner, type Owners } from './managers.ts';
import type { Change } from './versions.ts';

/** Fields that somebody else owns and that would change. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

export function conflictsOf(owners: Owners, change: Change, actor: Actor): readonly Conflict[] {
  return owners.flatMap((owner) => {
    if (isSameActor(owner, actor)) return [];
    const fields = intersection(owner.fieldsV1, change(owner.apiVersion)?.touched ?? {});
    return isEmpty(fields) ? [] : [{ owner, fields }];
  });
}

/** 409 with each field and whose it is: kubectl makes its advice of it. */
export function conflictStatus(conflicts: readonly Conflict[]): Status {
  const found = [...conflicts]
    .sort((a, b) => (identityOf(a.owner) < identityOf(b.owner) ? -1 : 1))
    .map(({ owner, fields }) => ({ who: showOwner(owner), paths: [...pathsOf(fields)].map(showPath) }));
  const causes = found.flatMap(({ who, paths }) =>
    paths.map((field): StatusCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  return failure(409, 'Conflict', messageOf(found, causes.length), { causes });
}

interface Shown {
  readonly who: string;
  readonly paths: readonly string[];
}

function messageOf(found: readonly Shown[], count: number): string {
  const [only] = found;
  if (count === 1 && only !== undefined)
    return `Apply failed with 1 conflict: conflict with ${only.who}: ${only.paths[0]}`;
  const lines = found.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

/** `"kubectl" with subresource "scale" using apps/v1` */
function showOwner({ manager, operation, apiVersion, subresource = '' }: Owner): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

function identityOf({ manager, operation, apiVersion, subresource }: Owner): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource ?? '']);
}

function showPath(steps: readonly string[]): string {
  return steps.map(showStep).join('');
}
