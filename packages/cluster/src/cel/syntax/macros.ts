import { SyntaxProblem } from './problem.ts';
import type { Call, Expression, Fold } from './tree.ts';

/** The variable in which a macro gathers its result; no user can name it. */
export const accumulator: string = '@result';

/**
 * A call, or what it stands for when it is a macro. Which name is one depends on how many arguments it is given, and on what else
 * there is.
 */
export function expandMacro(call: Call, knows: (name: string) => boolean): Expression {
  const { target, name, args } = call;
  if (target === undefined) return name === 'has' && args.length === 1 ? presence(call) : call;
  if (name === 'sortBy' && !knows(sortByKeys)) return call;
  if (name === 'bind' && target.kind === 'identifier' && target.name === 'cel' && args.length === 3)
    return knows('cel.bind') ? binding(call) : call;
  const expand = macros.get(`${name}/${args.length}`);
  return expand?.(call, target) ?? call;
}

function presence({ at, args: [subject] }: Call): Expression {
  if (subject?.kind !== 'select' || subject.tests)
    throw new SyntaxProblem(subject?.at ?? at, 'invalid argument to has() macro');
  return { ...subject, at, tests: true };
}

type Expand = (call: Call, target: Expression) => Expression;

interface Parts {
  readonly at: number;
  readonly variables: readonly [string, string?];
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result?: Expression;
}

function fold(range: Expression, { at, variables: [variable, second], ...parts }: Parts): Fold {
  return {
    kind: 'fold',
    at,
    range,
    variable,
    ...(second !== undefined && { second }),
    accumulator,
    initial: parts.initial,
    condition: parts.condition,
    step: parts.step,
    result: parts.result ?? accumulated(at),
  };
}

function accumulated(at: number): Expression {
  return { kind: 'identifier', at, name: accumulator };
}

function constant(at: number, value: boolean | bigint): Expression {
  return { kind: 'constant', at, value };
}

function call(at: number, name: string, args: readonly Expression[]): Expression {
  return { kind: 'call', at, name, args };
}

function list(at: number, elements: readonly Expression[]): Expression {
  return { kind: 'list', at, elements, optional: new Set() };
}

/** The names before the last arguments, which must be plain and not the macro's own. */
function variablesOf({ args, at, name: macro }: Call, count: 1 | 2): readonly [string, string?] {
  const names = args.slice(0, count).map((arg) => {
    if (arg.kind !== 'identifier' || arg.name.startsWith('.'))
      throw new SyntaxProblem(
        arg.at,
        macro === 'map' || macro === 'filter' ? 'argument is not an identifier' : 'argument must be a simple name',
      );
    if (arg.name === '__result__')
      throw new SyntaxProblem(arg.at, 'iteration variable overwrites accumulator variable');
    return arg.name;
  });
  const [first, second] = names;
  if (first === undefined) throw new SyntaxProblem(at, 'argument must be a simple name');
  if (first === second) throw new SyntaxProblem(args[1]?.at ?? at, `duplicate variable name: ${first}`);
  return second === undefined ? [first] : [first, second];
}

function argument({ args, at }: Call, index: number): Expression {
  const found = args[index];
  if (found === undefined) throw new SyntaxProblem(at, 'an argument is missing');
  return found;
}

function all(count: 1 | 2): Expand {
  return (macro, range) => {
    const { at } = macro;
    return fold(range, {
      at,
      variables: variablesOf(macro, count),
      initial: constant(at, true),
      condition: call(at, '@not_strictly_false', [accumulated(at)]),
      step: call(at, '_&&_', [accumulated(at), argument(macro, count)]),
    });
  };
}

function exists(count: 1 | 2): Expand {
  return (macro, range) => {
    const { at } = macro;
    return fold(range, {
      at,
      variables: variablesOf(macro, count),
      initial: constant(at, false),
      condition: call(at, '@not_strictly_false', [call(at, '!_', [accumulated(at)])]),
      step: call(at, '_||_', [accumulated(at), argument(macro, count)]),
    });
  };
}

function existsOne(count: 1 | 2): Expand {
  return (macro, range) => {
    const { at } = macro;
    const next = call(at, '_+_', [accumulated(at), constant(at, 1n)]);
    return fold(range, {
      at,
      variables: variablesOf(macro, count),
      initial: constant(at, 0n),
      condition: constant(at, true),
      step: call(at, '_?_:_', [argument(macro, count), next, accumulated(at)]),
      result: call(at, '_==_', [accumulated(at), constant(at, 1n)]),
    });
  };
}

/** Gathers something of each element, or of those that the argument before the last one lets through. */
function gathering(
  count: 1 | 2,
  gather: (at: number, macro: Call) => { initial: Expression; step: Expression },
): Expand {
  return (macro, range) => {
    const { at, args } = macro;
    const { initial, step } = gather(at, macro);
    const isFiltered = args.length === count + 2;
    return fold(range, {
      at,
      variables: variablesOf(macro, count),
      initial,
      condition: constant(at, true),
      step: isFiltered ? call(at, '_?_:_', [argument(macro, count), step, accumulated(at)]) : step,
    });
  };
}

function last({ args, at }: Call): Expression {
  return args.at(-1) ?? constant(at, false);
}

function appending(
  element: (macro: Call) => Expression,
): (at: number, macro: Call) => { initial: Expression; step: Expression } {
  return (at, macro) => ({
    initial: list(at, []),
    step: call(at, '_+_', [accumulated(at), list(at, [element(macro)])]),
  });
}

const filter: Expand = (macro, range) => {
  const { at } = macro;
  const append = call(at, '_+_', [accumulated(at), list(at, [argument(macro, 0)])]);
  return fold(range, {
    at,
    variables: variablesOf(macro, 1),
    initial: list(at, []),
    condition: constant(at, true),
    step: call(at, '_?_:_', [argument(macro, 1), append, accumulated(at)]),
  });
};

const map: Expand = gathering(1, appending(last));
const transformList: Expand = gathering(2, appending(last));
const transformMap: Expand = gathering(2, (at, macro) => ({
  initial: { kind: 'map', at, entries: [] },
  step: call(at, 'cel.@mapInsert', [accumulated(at), argument(macro, 0), last(macro)]),
}));
const transformMapEntry: Expand = gathering(2, (at, macro) => ({
  initial: { kind: 'map', at, entries: [] },
  step: call(at, 'cel.@mapInsert', [accumulated(at), last(macro)]),
}));

interface Binding {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
}

/** Gives a value a name within an expression: a fold over nothing whose accumulator is the name. */
function bind({ at, name, value }: Binding, result: Expression): Fold {
  return {
    kind: 'fold',
    at,
    range: list(at, []),
    variable: '#unused',
    accumulator: name,
    initial: value,
    condition: constant(at, false),
    step: { kind: 'identifier', at, name },
    result,
  };
}

function binding(macro: Call): Expression {
  const [name] = variablesOf(macro, 1);
  return bind({ at: macro.at, name, value: argument(macro, 1) }, argument(macro, 2));
}

function optional(wrap: (at: number, inner: Expression) => Expression): Expand {
  return (macro, target) => {
    const { at } = macro;
    const [name] = variablesOf(macro, 1);
    const value: Expression = { kind: 'call', at, name: 'value', target, args: [] };
    const inner = bind({ at, name, value }, argument(macro, 1));
    return call(at, '_?_:_', [
      { kind: 'call', at, name: 'hasValue', target, args: [] },
      wrap(at, inner),
      call(at, 'optional.none', []),
    ]);
  };
}

const sortInput = '@sorted';
const sortByKeys = '@sortByAssociatedKeys';

const sortBy: Expand = (macro, target) => {
  const { at } = macro;
  const input: Expression = { kind: 'identifier', at, name: sortInput };
  const keys = map({ ...macro, name: 'map' }, input);
  return bind(
    { at, name: sortInput, value: target },
    { kind: 'call', at, name: sortByKeys, target: input, args: [keys] },
  );
};

/** By name and number of arguments. */
const macros: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all/2', all(1)],
  ['all/3', all(2)],
  ['exists/2', exists(1)],
  ['exists/3', exists(2)],
  ['exists_one/2', existsOne(1)],
  ['exists_one/3', existsOne(2)],
  ['existsOne/3', existsOne(2)],
  ['map/2', map],
  ['map/3', map],
  ['filter/2', filter],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
  ['optMap/2', optional((at, inner) => call(at, 'optional.of', [inner]))],
  ['optFlatMap/2', optional((_at, inner) => inner)],
  ['sortBy/2', sortBy],
]);
