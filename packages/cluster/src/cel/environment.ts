/** What expressions of Kubernetes 1.34 can call: its libraries, and the types that they bring. */
import { collections } from './library/collections.ts';
import { conversions } from './library/conversions.ts';
import { formats, formatType } from './library/formats.ts';
import { extendedLists, lists } from './library/lists.ts';
import { cidrType, ipType, networks } from './library/networks.ts';
import { operators } from './library/operators.ts';
import { optionals } from './library/optionals.ts';
import type { Overload } from './library/overload.ts';
import { quantities, quantityType } from './library/quantities.ts';
import { texts } from './library/texts.ts';
import { times } from './library/times.ts';
import { urls, urlType } from './library/urls.ts';
import { semverType, versions } from './library/versions.ts';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  string,
  type Type,
  timestamp,
  typeOf,
  uint,
} from './types/type.ts';

export interface Environment {
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Types that expressions can name, as `int` in `type(x) == int`. */
  readonly types: ReadonlyMap<string, Type>;
  /** Variables, and what is known of them. */
  readonly variables: ReadonlyMap<string, Variable>;
  /** Macros that are not everywhere. */
  readonly macros?: ReadonlySet<string>;
  /** Types that expressions can make values of: `Object.spec{replicas: 3}`. */
  struct?(name: string): Type | undefined;
}

export interface Variable {
  readonly type: Type;
  /** Where sizes are estimated from. Absent: nothing is known. */
  readonly declared?: Sized;
}

/** As much of a declaration as estimates need. */
export interface Sized {
  readonly sizeMax: number;
  readonly element?: Sized;
  readonly key?: Sized;
  field?(name: string): Sized | undefined;
}

const libraries: readonly (readonly Overload[])[] = [
  operators,
  conversions,
  times,
  texts,
  lists,
  collections,
  optionals,
  quantities,
  versions,
  networks,
  urls,
  formats,
];

function byName(overloads: Iterable<Overload>): ReadonlyMap<string, readonly Overload[]> {
  const found = new Map<string, Overload[]>();
  for (const overload of overloads) {
    const same = found.get(overload.name);
    if (same === undefined) found.set(overload.name, [overload]);
    else same.push(overload);
  }
  return found;
}

const named: readonly Type[] = [bool, bytes, double, duration, int, nullType, string, timestamp, uint];
const opaqueTypes: readonly Type[] = [quantityType, semverType, ipType, cidrType, urlType, formatType];

const types: ReadonlyMap<string, Type> = new Map([
  ...[...named, ...opaqueTypes].map((type) => [type.name, type] as const),
  ['list', listOf(dyn)],
  ['map', mapOf(dyn, dyn)],
  ['optional_type', optionalOf(dyn)],
  ['type', typeOf(dyn)],
  ['dyn', dyn],
]);

/**
 * What a new expression may use. As upstream, only what the version before knows as well: a step back must leave rules that can
 * be read.
 */
export const kubernetes: Environment = { functions: byName(libraries.flat()), types, variables: new Map() };

/** What a stored expression may use: also what 1.34 has brought. */
export const kubernetesStored: Environment = extend(kubernetes, { functions: extendedLists });

export interface Extension {
  readonly variables?: ReadonlyMap<string, Variable>;
  readonly functions?: readonly Overload[];
  readonly types?: readonly Type[];
  readonly macros?: ReadonlySet<string>;
  struct?(name: string): Type | undefined;
}

export function extend(
  environment: Environment,
  { variables, functions, types: more, macros = environment.macros, struct }: Extension,
): Environment {
  const structs = struct ?? environment.struct;
  return {
    functions:
      functions === undefined
        ? environment.functions
        : byName([...[...environment.functions.values()].flat(), ...functions]),
    types:
      more === undefined
        ? environment.types
        : new Map([...environment.types, ...more.map((type) => [type.name, type] as const)]),
    variables: variables === undefined ? environment.variables : new Map([...environment.variables, ...variables]),
    ...(macros !== undefined && { macros }),
    ...(structs !== undefined && { struct: structs }),
  };
}
