import type { Overload } from '../library/overload.ts';
import { assignAll, type Bindings, isSameType, substitute } from '../types/assign.ts';
import { dyn, isDyn, type Type } from '../types/type.ts';

interface Question {
  readonly types: readonly Type[];
  readonly isMember: boolean;
  readonly bindings: Bindings;
  /** A number that was not given out before: each use of a signature has parameters of its own. */
  fresh(): number;
}

export interface Resolved {
  readonly overloads: readonly Overload[];
  readonly result: Type;
  readonly bindings: Bindings;
}

/** All signatures that fit. Where they answer different types, any may come of the call. */
export function resolve(candidates: readonly Overload[], question: Question): Resolved | undefined {
  const overloads: Overload[] = [];
  let { bindings } = question;
  let result: Type | undefined;
  for (const candidate of candidates) {
    if (candidate.isMember !== question.isMember || candidate.parameters.length !== question.types.length) continue;
    const own = ownParameters(candidate, question);
    const learnt = assignAll(bindings, own.parameters, question.types);
    if (learnt === undefined) continue;
    overloads.push(candidate);
    bindings = learnt;
    const answered = substitute(learnt, own.result);
    if (result === undefined) result = answered;
    else if (!isDyn(result) && !isSameType(result, answered)) result = dyn;
  }
  return result === undefined ? undefined : { overloads, result, bindings };
}

function ownParameters(
  { parameters, result }: Overload,
  { fresh }: Question,
): { parameters: readonly Type[]; result: Type } {
  if (![...parameters, result].some(hasParameter)) return { parameters, result };
  const suffix = fresh();
  return { parameters: parameters.map((type) => renamed(type, suffix)), result: renamed(result, suffix) };
}

function hasParameter(type: Type): boolean {
  return type.kind === 'parameter' || type.parameters.some(hasParameter);
}

function renamed(type: Type, suffix: number): Type {
  if (type.kind === 'parameter') return { ...type, name: `${type.name}${suffix}` };
  if (type.parameters.length === 0) return type;
  return { ...type, parameters: type.parameters.map((inner) => renamed(inner, suffix)) };
}
