import type { ValidatingAdmissionPolicy, Validation } from '../../api/generated/admissionregistration-v1.ts';
import { admissionNamespace } from '../../cel/admission.ts';
import type { Variables } from '../../cel/compile.ts';
import { EvaluationError, Mapping, type Value } from '../../cel/values/value.ts';
import type { Compiled, CompiledPolicy, Expression } from '../../resources/admissionregistration/policy-expressions.ts';

const runCostMax = 1_000_000;
export const policyCostMax = 10_000_000;
const conditionsCostMax = 2_500_000;
const messageSizeMax = 5_120;
const annotationSizeMax = 10 * 1_024;

/** What a policy says against a request. */
export interface Denial {
  readonly message: string;
  /** Of the Status; absent where an expression has failed. */
  readonly reason?: string;
  /** Which of the validations. */
  readonly index: number;
  /** An audit annotation that fails refuses whatever the binding asks for. */
  readonly isCertain?: true;
}

export interface Judgement {
  readonly denials: readonly Denial[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

interface Judged {
  readonly policy: ValidatingAdmissionPolicy;
  readonly compiled: CompiledPolicy;
}

const nothing: Judgement = { denials: [], annotations: [] };

/** Judges a request by a policy with one parameter object. Pure but for what the variables look up. */
export function judge({ policy, compiled }: Judged, given: Variables): Judgement {
  const fails = policy.spec.failurePolicy !== 'Ignore';
  const failing = (message: string, index = 0): Judgement =>
    fails ? { denials: [{ message, index }], annotations: [] } : nothing;
  try {
    const matched = conditionsOf(compiled, given);
    if (matched !== true) return matched === false ? nothing : failing(matched);
    const run = createRun(compiled, given, policyCostMax);
    const denials = compiled.validations.flatMap(({ expression, message }, index) => {
      const outcome = run(expression);
      const validation = policy.spec.validations?.[index];
      if ('error' in outcome) return fails ? [{ message: outcome.error, index }] : [];
      if (outcome.value === true || validation === undefined) return [];
      return [
        { message: messageOf(validation, message && run(message)), reason: validation.reason ?? 'Invalid', index },
      ];
    });
    return { ...annotationsOf({ compiled, fails }, given), denials: [...denials] };
  } catch (error) {
    if (error instanceof Exhausted) return failing(error.message);
    throw error;
  }
}

/** `cause` is the error without the expression. */
export type Outcome = { readonly value: Value } | { readonly error: string; readonly cause: string };

export class Exhausted extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** Variables cost what they cost once, when they are first asked for. */
export function createRun(
  compiled: Pick<Compiled, 'variables'>,
  given: Variables,
  costMax: number,
): (expression: Expression) => Outcome {
  let left = costMax;
  const run = ({ source, program }: Expression): Outcome => {
    if ('problem' in program) return failed(`compilation error: ${program.problem}`);
    const outcome = program.run(all, { costMax: runCostMax });
    if (outcome.cost > left) throw new Exhausted();
    left -= outcome.cost;
    return 'value' in outcome
      ? outcome
      : { error: `expression '${source}' resulted in error: ${outcome.error}`, cause: outcome.error };
  };
  const variables = new LazyVariables(compiled.variables, run);
  const all: Variables = (name) => (name === 'variables' ? variables : given(name));
  return run;
}

function failed(error: string): Outcome {
  return { error, cause: error };
}

class LazyVariables extends Mapping {
  readonly #expressions: ReadonlyMap<string, Expression>;
  readonly #run: (expression: Expression) => Outcome;
  readonly #known = new Map<string, Outcome>();

  constructor(expressions: ReadonlyMap<string, Expression>, run: (expression: Expression) => Outcome) {
    super();
    this.#expressions = expressions;
    this.#run = run;
  }

  get size(): number {
    return this.#expressions.size;
  }

  get(key: Value): Value | undefined {
    const expression = typeof key === 'string' ? this.#expressions.get(key) : undefined;
    if (expression === undefined || typeof key !== 'string') return undefined;
    const known = this.#known.get(key) ?? this.#run(expression);
    this.#known.set(key, known);
    if ('value' in known) return known.value;
    throw new EvaluationError(`composited variable ${JSON.stringify(key)} fails to evaluate: ${known.cause}`);
  }

  keys(): Iterable<Value> {
    return this.#expressions.keys();
  }
}

/** Whether they hold, or why that cannot be told. Upstream shows them a namespace without anything in it. */
export function conditionsOf(compiled: Compiled, given: Variables): boolean | string {
  if (compiled.conditions.length === 0) return true;
  const shown: Variables = (name) => (name === 'namespaceObject' ? admissionNamespace.read({}) : given(name));
  const run = createRun(compiled, shown, conditionsCostMax);
  const problems: string[] = [];
  for (const condition of compiled.conditions) {
    const outcome = run(condition);
    if ('error' in outcome) problems.push(outcome.error);
    else if (outcome.value === false) return false;
  }
  if (problems.length === 0) return true;
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}

function messageOf({ expression, message = '' }: Validation, outcome: Outcome | undefined): string {
  const told =
    outcome !== undefined && 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  if (told !== '' && !told.includes('\n') && Buffer.byteLength(told) <= messageSizeMax) return told;
  return message.trim() === '' ? `failed expression: ${expression.trim()}` : message.trim();
}

function annotationsOf(
  { compiled, fails }: { readonly compiled: CompiledPolicy; readonly fails: boolean },
  given: Variables,
): Pick<Judgement, 'annotations'> {
  const run = createRun(compiled, given, policyCostMax);
  const annotations = compiled.annotations.flatMap(({ key, value }) => {
    const outcome = run(value);
    if ('error' in outcome) {
      if (fails) throw new AnnotationFailed(outcome.error);
      return [];
    }
    const text = typeof outcome.value === 'string' ? outcome.value.trim().slice(0, annotationSizeMax) : '';
    return text === '' ? [] : [{ key, value: text }];
  });
  return { annotations };
}

/** An annotation that cannot be told refuses the request, whatever the binding asks for. */
export class AnnotationFailed extends Error {}
