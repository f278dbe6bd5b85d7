/** What one set of rules grants of another, as upstream reads rules: `*` is anything, `*∕scale` that part of anything. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';

/** Whether a list of a rule names this value. */
export function names(allowed: readonly string[] | undefined, value: string): boolean {
  return allowed?.includes('*') === true || allowed?.includes(value) === true;
}

/** Whether a rule means this resource, which may be a part of one: `pods/log`. */
export function namesResource(allowed: readonly string[] | undefined, resource: string): boolean {
  if (names(allowed, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && allowed?.includes(`*${resource.slice(slash)}`) === true;
}

/** Whether a rule means this path, which may be a pattern itself. Stars at the end are anything that follows. */
export function namesPath(allowed: readonly string[] | undefined, path: string): boolean {
  return allowed?.some((each) => each === path || (each.endsWith('*') && path.startsWith(withoutStars(each)))) === true;
}

function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}

/** What of `wanted` no single one of the rules that are held grants, in the smallest pieces that were looked at. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const missing: PolicyRule[] = [];
  for (const rule of wanted)
    for (const piece of piecesOf(rule)) if (!held.some((each) => grants(each, piece))) missing.push(piece);
  return missing;
}

function* piecesOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Iterable<PolicyRule> {
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) {
        const piece = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) yield piece;
        for (const name of resourceNames) yield { ...piece, resourceNames: [name] };
      }
  for (const path of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [path], verbs: [verb] };
}

function grants(held: PolicyRule, piece: PolicyRule): boolean {
  const every = (wanted: readonly string[] | undefined, has: (value: string) => boolean): boolean =>
    wanted === undefined || wanted.every(has);
  const isNamed =
    (held.resourceNames ?? []).length === 0 ||
    (piece.resourceNames !== undefined &&
      every(piece.resourceNames, (name) => held.resourceNames?.includes(name) === true));
  return (
    every(piece.verbs, (verb) => names(held.verbs, verb)) &&
    every(piece.apiGroups, (group) => names(held.apiGroups, group)) &&
    every(piece.resources, (resource) => namesResource(held.resources, resource)) &&
    every(piece.nonResourceURLs, (path) => namesPath(held.nonResourceURLs, path)) &&
    isNamed
  );
}

/** Pieces that differ in their verb alone, as one rule each. */
export function compactRules(pieces: readonly PolicyRule[]): readonly PolicyRule[] {
  const byPlace = new Map<string, PolicyRule>();
  for (const piece of pieces) {
    const { verbs, ...place } = piece;
    // Paths stay as they are: upstream puts only resources together.
    const id = JSON.stringify(place.nonResourceURLs === undefined ? place : piece);
    const known = byPlace.get(id);
    const added =
      known === undefined ? verbs : [...known.verbs, ...verbs.filter((verb) => !known.verbs.includes(verb))];
    byPlace.set(id, { ...place, verbs: added });
  }
  return [...byPlace.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`: how refusals name a rule. */
export function formatRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const shown = parts.flatMap(([name, values = []]) => (values.length === 0 ? [] : [`${name}:${formatTexts(values)}`]));
  return `{${shown.join(', ')}}`;
}

/** `["a" "b"]` */
export function formatTexts(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
