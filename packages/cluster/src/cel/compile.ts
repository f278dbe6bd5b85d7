import { check } from './checking/check.ts';
import type { Checked } from './checking/checked.ts';
import { estimate } from './costs/estimate.ts';
import type { Environment, Sized } from './environment.ts';
import { Frame } from './running/frame.ts';
import { plan } from './running/plan.ts';
import { parse } from './syntax/parse.ts';
import { formatProblems, SyntaxProblem } from './syntax/problem.ts';
import type { Type } from './types/type.ts';
import { CostExceeded, EvaluationError, type Value } from './values/value.ts';

export interface Refusal {
  readonly problem: string;
  /** The expression can be read, but not be made ready to run. */
  readonly isInstantiation?: true;
}

/** An expression that was found good. */
export interface Program {
  readonly type: Type;
  /** Variables that it names. */
  readonly uses: ReadonlySet<string>;
  /** What a run costs at most, as it can be said beforehand. */
  costMax(root?: Sized): number;
  /** Runs it. Variables that it does not name need not be given. */
  run(given: Variables, options: { readonly costMax: number }): Outcome;
}

/** Values of variables by their names; asked for only where an expression names one. */
export type Variables = (name: string) => Value | undefined;

export type Outcome =
  | { readonly value: Value; readonly cost: number }
  | { readonly error: string; readonly cost: number; readonly isCostExceeded?: true };

/**
 * The program, or what is wrong with the expression in words, with its place; or in words alone, where a literal cannot be
 * converted to what it is to be.
 */
export function compile(source: string, environment: Environment): Program | Refusal {
  try {
    const { functions, macros } = environment;
    const checked = check(
      parse(source, (name) => functions.has(name) || macros?.has(name) === true),
      environment,
    );
    if ('problems' in checked) return { problem: formatProblems(source, checked.problems) };
    return programOf(checked, environment);
  } catch (error) {
    if (error instanceof SyntaxProblem) return { problem: formatProblems(source, error.problems) };
    if (error instanceof EvaluationError) return { problem: error.message, isInstantiation: true };
    throw error;
  }
}

function programOf(checked: Checked, environment: Environment): Program {
  const names = [...new Set([...checked.names.values()].map((name) => name.replace(/^\./, '')))];
  const used = names.filter((name) => environment.variables.has(name));
  const places = new Map(used.map((name, index) => [name, index]));
  const slots = { count: used.length };
  const run = plan(checked.expression, { checked, environment, places, slots });
  return {
    type: checked.type,
    uses: new Set(used),
    costMax: (root) => estimate(checked, root).max,
    run(given, { costMax }) {
      const values = new Array<Value | undefined>(slots.count);
      const frame = new Frame(values as Value[], costMax);
      try {
        for (const [index, name] of used.entries()) values[index] = given(name);
        return { value: run(frame), cost: frame.cost };
      } catch (error) {
        if (error instanceof EvaluationError) return { error: error.message, cost: frame.cost };
        if (error instanceof CostExceeded) return { error: error.message, cost: frame.cost, isCostExceeded: true };
        throw error;
      }
    },
  };
}
