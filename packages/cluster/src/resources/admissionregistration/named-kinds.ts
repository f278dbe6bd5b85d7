import type { NamedRuleWithOperations } from '../../api/generated/admissionregistration-v1.ts';
import type { ResourceDefinition } from '../resource.ts';

const kindsMax = 10;

/**
 * The kinds that rules name with their group, version and resource, in the order of their names; no more than ten. What a rule
 * leaves open by a star it does not name, nor does it name the kinds of subresources. The core group stands for any, as upstream
 * looks them up.
 */
export function kindsOf(
  rules: readonly NamedRuleWithOperations[],
  served: readonly ResourceDefinition[],
): readonly ResourceDefinition[] {
  const found = new Map<string, ResourceDefinition>();
  for (const { group, version, resource } of rules.flatMap(placesOf)) {
    const kinds = served.filter(
      (each) => each.version === version && each.resource === resource && (group === '' || each.group === group),
    );
    for (const kind of kinds) {
      if (found.size >= kindsMax) break;
      found.set(nameOf(kind), kind);
    }
  }
  return [...found.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

function placesOf({ apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations): readonly Place[] {
  const plain = resources.filter((name) => !name.includes('/'));
  if ([apiGroups, apiVersions, plain].some((names) => names.includes('*'))) return [];
  const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
  return sorted(apiGroups).flatMap((group) =>
    sorted(apiVersions).flatMap((version) => sorted(plain).map((resource) => ({ group, version, resource }))),
  );
}

/** Groups sort before versions, and these before kinds. */
function nameOf({ group, version, kind }: ResourceDefinition): string {
  return [group, version, kind].join('\n');
}
