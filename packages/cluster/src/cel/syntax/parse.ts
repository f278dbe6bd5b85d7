import { type Token, tokensOf } from './lexer.ts';
import { expandMacro } from './macros.ts';
import { SyntaxProblem } from './problem.ts';
import type { Expression, MapEntry, StructField } from './tree.ts';

const depthMax = 250;
const sourceMax = 100_000;

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** The expression with its macros expanded. Throws a `SyntaxProblem`. */
export function parse(source: string): Expression {
  if (source.length > sourceMax)
    throw new SyntaxProblem(0, `expression code point size exceeds limit: size: ${source.length}, limit ${sourceMax}`);
  const parser = new Parser(tokensOf(source));
  return parser.whole();
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

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#expression();
    const { kind, at, text } = this.#peek();
    if (kind !== 'end') throw new SyntaxProblem(at, `Syntax error: extraneous input '${text}' expecting <EOF>`);
    return expression;
  }

  #expression(): Expression {
    if (++this.#depth > depthMax)
      throw new SyntaxProblem(this.#peek().at, `expression recursion limit exceeded: ${depthMax}`);
    const condition = this.#level(0);
    let expression = condition;
    const { at } = this.#peek();
    if (this.#take('?')) {
      const then = this.#level(0);
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
    const field = this.#identifier();
    if (isOptional) {
      const name: Expression = { kind: 'constant', at: field.at, value: field.text };
      return { kind: 'call', at, name: '_?._', args: [operand, name] };
    }
    const open = this.#peek();
    if (!this.#take('(')) return { kind: 'select', at, operand, field: field.text, tests: false };
    const args = this.#list(')');
    return expandMacro({ kind: 'call', at: open.at, name: field.text, target: operand, args });
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
    if (this.#peek().kind !== 'identifier') throw this.#unexpected();
    return this.#named(isOutermost ? '.' : '');
  }

  #named(dot: string): Expression {
    const first = this.#identifier();
    const struct = this.#structName();
    if (struct !== undefined) return this.#structLiteral(`${dot}${first.text}${struct}`);
    if (reserved.has(first.text)) throw new SyntaxProblem(first.at, `reserved identifier: ${first.text}`);
    const open = this.#peek();
    if (!this.#take('(')) return { kind: 'identifier', at: first.at, name: dot + first.text };
    return expandMacro({ kind: 'call', at: open.at, name: dot + first.text, args: this.#list(')') });
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
      const optional = this.#take('?');
      const field = this.#identifier();
      const colon = this.#peek();
      this.#expect(':');
      fields.push({ at: colon.at, name: field.text, value: this.#expression(), optional });
      if (!this.#take(',') && this.#peek().text !== '}') throw this.#unexpected();
    }
    return { kind: 'struct', at, name, fields };
  }

  #listLiteral(at: number): Expression {
    const elements: Expression[] = [];
    const optional = new Set<number>();
    while (!this.#take(']')) {
      if (this.#take('?')) optional.add(elements.length);
      elements.push(this.#expression());
      if (!this.#take(',') && this.#peek().text !== ']') throw this.#unexpected();
    }
    return { kind: 'list', at, elements, optional };
  }

  #mapLiteral(at: number): Expression {
    const entries: MapEntry[] = [];
    while (!this.#take('}')) {
      const optional = this.#take('?');
      const key = this.#expression();
      const colon = this.#peek();
      this.#expect(':');
      entries.push({ at: colon.at, key, value: this.#expression(), optional });
      if (!this.#take(',') && this.#peek().text !== '}') throw this.#unexpected();
    }
    return { kind: 'map', at, entries };
  }

  #list(end: string): readonly Expression[] {
    const list: Expression[] = [];
    if (this.#take(end)) return list;
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

  #unexpected(wanted?: string): SyntaxProblem {
    const { at, text } = this.#peek();
    if (wanted !== undefined)
      return new SyntaxProblem(at, `Syntax error: mismatched input '${text}' expecting ${wanted}`);
    return new SyntaxProblem(at, `Syntax error: mismatched input '${text}' expecting ${beginnings}`);
  }
}

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
