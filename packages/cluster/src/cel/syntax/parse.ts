import { type Token, type Tokens, tokensOf } from './lexer.ts';
import { expandMacro } from './macros.ts';
import { type Problem, SyntaxProblem } from './problem.ts';
import type { Expression, MapEntry, StructField } from './tree.ts';

const depthMax = 250;
const sourceMax = 100_000;

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** The expression with its macros expanded: `knows` says which functions there are, on which some depend. Throws a `SyntaxProblem`. */
export function parse(source: string, knows: (name: string) => boolean): Expression {
  if (source.length > sourceMax)
    throw new SyntaxProblem(0, `expression code point size exceeds limit: size: ${source.length}, limit ${sourceMax}`);
  return new Parser(tokensOf(source), knows).whole();
}

/** From loose to tight. Comparisons do not mix with arithmetic on one level, and all of these lean to the left. */
const levels: readonly ReadonlyMap<string, string>[] = [
  new Map([['||', '_||_']]),
  new Map([['&&', '_&&_']]),
  new Map([...['<', '<=', '>=', '>', '==', '!='].map((sign) => [sign, `_${sign}_`] as const), ['in', '@in']]),
  new Map(['+', '-'].map((sign) => [sign, `_${sign}_`])),
  new Map(['*', '/', '%'].map((sign) => [sign, `_${sign}_`])),
];

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  /** What can be passed over. */
  readonly #problems: Problem[];
  readonly #knows: (name: string) => boolean;

  constructor({ tokens, problems }: Tokens, knows: (name: string) => boolean) {
    this.#tokens = tokens;
    this.#problems = [...problems];
    this.#knows = knows;
  }

  whole(): Expression {
    try {
      const expression = this.#expression();
      const { kind } = this.#peek();
      if (kind !== 'end')
        throw this.#unexpected('<EOF>', this.#next + 2 >= this.#tokens.length ? 'extraneous' : 'mismatched');
      const last = this.#problems.pop();
      if (last !== undefined) throw new SyntaxProblem(last.at, last.text);
      return expression;
    } catch (error) {
      if (error instanceof SyntaxProblem) throw new SyntaxProblem(error.at, error.message, this.#problems);
      throw error;
    }
  }

  #expression(): Expression {
    if (++this.#depth > depthMax)
      throw new SyntaxProblem(this.#peek().at, `expression recursion limit exceeded: ${depthMax}`);
    const condition = this.#level(0);
    let expression = condition;
    const { at } = this.#peek();
    if (this.#take('?')) {
      const then = this.#level(0);
      if (this.#peek().kind === 'end') throw this.#unexpected("':'");
      this.#expect(':');
      expression = { kind: 'call', at, name: '_?_:_', args: [condition, then, this.#expression()] };
    }
    this.#depth--;
    return expression;
  }

  #level(index: number): Expression {
    const signs = levels[index];
    if (signs === undefined) return this.#unary();
    let left = this.#level(index + 1);
    for (;;) {
      const token = this.#peek();
      const name = token.kind === 'symbol' ? signs.get(token.text) : undefined;
      if (name === undefined) return left;
      this.#next++;
      left = { kind: 'call', at: token.at, name, args: [left, this.#level(index + 1)] };
    }
  }

  #unary(): Expression {
    const token = this.#peek();
    if (token.kind !== 'symbol' || (token.text !== '!' && token.text !== '-')) return this.#member();
    let count = 0;
    while (this.#take(token.text)) count++;
    const number = this.#peek();
    const isNumber =
      token.text === '-' && number.kind === 'literal' && ['bigint', 'number'].includes(typeof number.value);
    // Two signs undo each other, and one next to a number belongs to it.
    if (count % 2 === 0) return this.#member();
    if (isNumber) return this.#member(token.at);
    const operand = this.#member();
    return { kind: 'call', at: token.at, name: token.text === '!' ? '!_' : '-_', args: [operand] };
  }

  #member(negativeAt?: number): Expression {
    let operand = this.#primary(negativeAt);
    for (;;) {
      const { at } = this.#peek();
      if (this.#take('.')) operand = this.#selection(operand, at);
      else if (this.#take('[')) {
        const name = this.#take('?') ? '_[?_]' : '_[_]';
        const index = this.#expression();
        this.#expect(']');
        operand = { kind: 'call', at, name, args: [operand, index] };
      } else return operand;
    }
  }

  #selection(operand: Expression, at: number): Expression {
    const isOptional = this.#take('?');
    const { kind, at: nameAt } = this.#peek();
    if (kind === 'escaped') throw new SyntaxProblem(nameAt, "unsupported syntax: '`'");
    if (!isOptional) this.#checkNamed();
    const field = this.#identifier();
    if (isOptional) {
      const name: Expression = { kind: 'constant', at: field.at, value: field.text };
      return { kind: 'call', at, name: '_?._', args: [operand, name] };
    }
    const open = this.#peek();
    if (!this.#take('(')) return { kind: 'select', at, operand, field: field.text, tests: false };
    const args = this.#list(')');
    return expandMacro({ kind: 'call', at: open.at, name: field.text, target: operand, args }, this.#knows);
  }

  /** A dot is followed by a name. */
  #checkNamed(): void {
    const { kind, text, at } = this.#peek();
    if (kind === 'symbol') throw new SyntaxProblem(at, `Syntax error: no viable alternative at input '.${text}'`);
    if (kind === 'end') throw new SyntaxProblem(at, "Syntax error: no viable alternative at input '.'");
  }

  #primary(negativeAt: number | undefined): Expression {
    const token = this.#peek();
    if (token.kind === 'literal') {
      this.#next++;
      return { kind: 'constant', at: negativeAt ?? token.at, value: signed(token, negativeAt !== undefined) };
    }
    const { at } = token;
    if (this.#take('(')) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (this.#take('[')) return this.#listLiteral(at);
    if (this.#take('{')) return this.#mapLiteral(at);
    const isOutermost = this.#take('.');
    if (isOutermost) this.#checkNamed();
    if (this.#peek().kind !== 'identifier') throw this.#unexpected();
    return this.#named(isOutermost ? '.' : '');
  }

  #named(dot: string): Expression {
    const first = this.#identifier();
    const struct = this.#structName();
    if (struct !== undefined) return this.#structLiteral(`${dot}${first.text}${struct}`);
    if (reserved.has(first.text)) this.#problems.push({ at: first.at, text: `reserved identifier: ${first.text}` });
    const open = this.#peek();
    if (!this.#take('(')) return { kind: 'identifier', at: first.at, name: dot + first.text };
    return expandMacro({ kind: 'call', at: open.at, name: dot + first.text, args: this.#list(')') }, this.#knows);
  }

  /** What follows the first name when this is `a.b.C{…}`; nothing is taken otherwise. */
  #structName(): string | undefined {
    let ahead = this.#next;
    let rest = '';
    const token = (offset: number): Token | undefined => this.#tokens[ahead + offset];
    while (token(0)?.text === '.' && token(1)?.kind === 'identifier') {
      rest += `.${token(1)?.text}`;
      ahead += 2;
    }
    if (token(0)?.kind !== 'symbol' || token(0)?.text !== '{') return undefined;
    this.#next = ahead;
    return rest;
  }

  #structLiteral(name: string): Expression {
    const { at } = this.#peek();
    this.#expect('{');
    const fields: StructField[] = [];
    while (!this.#take('}')) {
      if (this.#peek().kind === 'end')
        throw this.#unexpected(fields.length === 0 ? "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}" : "{'}', ','}");
      const optional = this.#take('?');
      const field = this.#identifier();
      const colon = this.#peek();
      this.#expect(':');
      fields.push({ at: colon.at, name: field.text, value: this.#expression(), optional });
      this.#separator('}');
    }
    return { kind: 'struct', at, name, fields };
  }

  /** Between elements; the last one may have one behind it. */
  #separator(end: string): void {
    if (!this.#take(',') && this.#peek().text !== end) throw this.#unexpected(`{'${end}', ','}`);
  }

  #listLiteral(at: number): Expression {
    const elements: Expression[] = [];
    const optional = new Set<number>();
    if (this.#takePair(',', ']')) return { kind: 'list', at, elements, optional };
    while (!this.#take(']')) {
      if (this.#take('?')) optional.add(elements.length);
      elements.push(this.#expression());
      this.#separator(']');
    }
    return { kind: 'list', at, elements, optional };
  }

  #mapLiteral(at: number): Expression {
    const entries: MapEntry[] = [];
    if (this.#takePair(',', '}')) return { kind: 'map', at, entries };
    while (!this.#take('}')) {
      const optional = this.#take('?');
      const key = this.#expression();
      const colon = this.#peek();
      this.#expect(':');
      entries.push({ at: colon.at, key, value: this.#expression(), optional });
      this.#separator('}');
    }
    return { kind: 'map', at, entries };
  }

  #list(end: string): readonly Expression[] {
    const list: Expression[] = [];
    if (this.#take(end)) return list;
    if (this.#peek().kind === 'end') throw this.#unexpected(beginnings.replace("'(', ", `'(', '${end}', `));
    do list.push(this.#expression());
    while (this.#take(','));
    this.#expect(end);
    return list;
  }

  #identifier(): Token {
    const token = this.#peek();
    if (token.kind !== 'identifier') throw this.#unexpected('IDENTIFIER');
    this.#next++;
    return token;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', at: 0, text: '<EOF>' };
  }

  #take(text: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'symbol' || token.text !== text) return false;
    this.#next++;
    return true;
  }

  #expect(text: string): void {
    if (this.#take(text)) return;
    const token = this.#peek();
    if (token.kind !== 'end') throw this.#unexpected(`'${text}'`);
    throw new SyntaxProblem(token.at, `Syntax error: missing '${text}' at '<EOF>'`);
  }

  /** Two signs that mean nothing together: a list or map with no more than a comma in it. */
  #takePair(first: string, second: string): boolean {
    if (this.#peek().text !== first || this.#tokens[this.#next + 1]?.text !== second) return false;
    this.#next += 2;
    return true;
  }

  #unexpected(wanted?: string, how: 'extraneous' | 'mismatched' = 'mismatched'): SyntaxProblem {
    const { at, text } = this.#peek();
    if (wanted !== undefined) return new SyntaxProblem(at, `Syntax error: ${how} input '${text}' expecting ${wanted}`);
    // With one token less it would go on.
    const after = this.#tokens[this.#next + 1];
    const isExtra =
      after !== undefined && (after.kind === 'identifier' || after.kind === 'literal' || opening.has(after.text));
    return new SyntaxProblem(
      at,
      `Syntax error: ${isExtra ? 'extraneous' : 'mismatched'} input '${text}' expecting ${beginnings}`,
    );
  }
}

const opening: ReadonlySet<string> = new Set(['(', '[', '{', '.', '-', '!']);

const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function signed(token: Token & { readonly kind: 'literal' }, isNegative: boolean): typeof token.value {
  const { value, at } = token;
  if (typeof value === 'bigint') {
    if (!isNegative && value === 2n ** 63n) throw new SyntaxProblem(at, 'invalid int literal');
    return isNegative ? -value : value;
  }
  return isNegative && typeof value === 'number' ? -value : value;
}
