import { type EndpointSlice, endpointslices, type KubeObject, services } from '@signalbox/cluster';
import { comparedBy } from '../../relabel/execute.ts';
import type { RelabelRule } from '../../relabel/rule.ts';
import type { World } from '../../world/world.ts';
import { commonLabels, type EndpointRole, slicesIn } from './endpoints.ts';

/** A rule that passes one text alone, by labels that all targets of a slice have. */
export interface OnlyText {
  readonly rule: RelabelRule;
  readonly text: string;
}

interface Asked {
  readonly world: World;
  readonly namespaces: readonly string[] | undefined;
  readonly role: EndpointRole;
  /** Undefined: all of them. */
  readonly only: OnlyText | undefined;
}

/** The slices of these namespaces that the rule passes. */
export function slicesPassing({ world, namespaces, role, only }: Asked): readonly EndpointSlice[] {
  if (only === undefined) return slicesIn(world, namespaces);
  return (namespaces ?? [undefined]).flatMap(
    (namespace) => indexOf(world, { namespace, role, rule: only.rule }).get(only.text) ?? [],
  );
}

interface Entry {
  readonly services: readonly KubeObject[];
  readonly byText: ReadonlyMap<string, readonly EndpointSlice[]>;
}

// A hundred jobs look at a hundred slices of their namespace, each for one Service. The lists of a world that stays as it
// is are the same objects.
const remembered = new WeakMap<readonly EndpointSlice[], Map<string, Entry>>();

interface Sort {
  readonly namespace: string | undefined;
  readonly role: EndpointRole;
  readonly rule: RelabelRule;
}

function indexOf(world: World, { namespace, role, rule }: Sort): Entry['byText'] {
  const slices = world.list(endpointslices, namespace);
  const near = world.list(services, namespace);
  const entries = remembered.get(slices) ?? new Map<string, Entry>();
  remembered.set(slices, entries);
  const id = JSON.stringify([role, rule.source_labels, rule.separator]);
  const known = entries.get(id);
  if (known !== undefined && known.services === near) return known.byText;
  const byText = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const text = comparedBy(rule, commonLabels(slice, { role, world }));
    const found = byText.get(text) ?? [];
    found.push(slice);
    byText.set(text, found);
  }
  entries.set(id, { services: near, byText });
  return byText;
}
