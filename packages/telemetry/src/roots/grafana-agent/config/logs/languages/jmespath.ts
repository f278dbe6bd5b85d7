/*
 * The grammar of JMESPath as Promtail's library reads it (github.com/jmespath/go-jmespath), to find beforehand what it
 * would refuse. The libraries for JavaScript take more than it does (literals that are never closed) or another dialect
 * (`request-id` as a subtraction). Functions are looked up when they are called, so any name will do.
 */

import { isJson, type Kind, type Token, tokensOf } from './jmespath-tokens.ts';

/** Why the expression is none; undefined: it is one. */
export function jmespathProblem(text: string): string | undefined {
  const tokens = tokensOf(text);
  if (typeof tokens === 'string') return tokens;
  const parser = new Parser(tokens);
  try {
    parser.whole();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
}

class SyntaxProblem extends Error {}

/** How tightly a sign binds what stands before it; what is not here ends an expression. */
const bindings: Readonly<Record<string, number>> = {
  '|': 1,
  '||': 2,
  '&&': 3,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '[]': 9,
  '*': 20,
  '[?': 21,
  '.': 40,
  '!': 45,
  '{': 50,
  '[': 55,
  '(': 60,
};
/** What ends a projection. */
const projectionMin = 10;
const depthMax = 200;
const end: Token = { kind: 'end', text: 'the end' };

/** Reads by binding powers (Pratt); throws where it cannot go on. */
class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): void {
    this.#expression(0);
    this.#take('end');
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#next + ahead] ?? end;
  }

  #advance(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #take(kind: Kind): void {
    if (this.#advance().kind !== kind) {
      this.#next -= 1;
      this.#fail(kind === 'end' ? 'the end' : `"${kind}"`);
    }
  }

  #fail(wanted: string): never {
    throw new SyntaxProblem(`expected ${wanted}, found ${this.#peek().text}`);
  }

  #expression(binding: number): void {
    this.#depth += 1;
    if (this.#depth > depthMax) throw new SyntaxProblem('it is nested too deeply');
    let left = this.#prefix();
    while (binding < bindingOf(this.#peek())) left = this.#infix(left);
    this.#depth -= 1;
  }

  #prefix(): Token {
    const token = this.#advance();
    switch (token.kind) {
      case 'literal':
        if (!isJson(token.text.slice(1, -1).replaceAll('\\`', '`')))
          throw new SyntaxProblem(`${token.text} is no JSON value`);
        break;
      case 'quoted':
        if (this.#peek().kind === '(') throw new SyntaxProblem(`the name of a function is not quoted: ${token.text}`);
        break;
      case 'name':
      case 'raw':
      case '@':
        break;
      case '*':
        if (this.#peek().kind !== ']') this.#projected(20);
        break;
      case '[?':
        this.#filter();
        break;
      case '{':
        this.#hash();
        break;
      case '[]':
        this.#projected(9);
        break;
      case '[':
        this.#bracket();
        break;
      case '&':
        this.#expression(0);
        break;
      case '!':
        this.#expression(45);
        break;
      case '(':
        this.#expression(0);
        this.#take(')');
        break;
      default:
        this.#next -= 1;
        this.#fail('an expression');
    }
    return token;
  }

  #infix(left: Token): Token {
    const token = this.#advance();
    switch (token.kind) {
      case '.':
        if (this.#peek().kind === '*') {
          this.#advance();
          this.#projected(40);
        } else this.#afterDot(40);
        break;
      case '(':
        this.#arguments();
        break;
      case '[?':
        this.#filter();
        break;
      case '[]':
        this.#projected(9);
        break;
      case '[':
        if (this.#isIndex()) this.#index();
        else {
          this.#take('*');
          this.#take(']');
          this.#projected(20);
        }
        break;
      case '*':
      case '!':
      case '{':
        this.#next -= 1;
        this.#fail('an operator');
        break;
      default:
        this.#expression(bindingOf(token));
    }
    return left;
  }

  #arguments(): void {
    while (this.#peek().kind !== ')') {
      this.#expression(0);
      if (this.#peek().kind === ',') this.#advance();
    }
    this.#advance();
  }

  #bracket(): void {
    if (this.#isIndex()) this.#index();
    else if (this.#peek().kind === '*' && this.#peek(1).kind === ']') {
      this.#advance();
      this.#advance();
      this.#projected(20);
    } else this.#list();
  }

  #isIndex(): boolean {
    return this.#peek().kind === 'number' || this.#peek().kind === ':';
  }

  #index(): void {
    let colons = 0;
    for (; this.#peek().kind !== ']' && colons < 3; ) {
      const { kind, text } = this.#advance();
      if (kind === ':') colons += 1;
      else if (kind !== 'number' || !isInteger(text) || (colons === 0 && !isIndexEnd(this.#peek()))) {
        this.#next -= 1;
        this.#fail('a number or ":"');
      }
    }
    this.#take(']');
    if (colons > 0) this.#projected(20);
  }

  #list(): void {
    for (;;) {
      this.#expression(0);
      if (this.#peek().kind === ']') break;
      this.#take(',');
    }
    this.#advance();
  }

  #hash(): void {
    for (;;) {
      const { kind } = this.#advance();
      if (kind !== 'name' && kind !== 'quoted') {
        this.#next -= 1;
        this.#fail('a name');
      }
      this.#take(':');
      this.#expression(0);
      if (this.#peek().kind === '}') break;
      if (this.#peek().kind === ',') this.#advance();
    }
    this.#advance();
  }

  #filter(): void {
    this.#expression(0);
    this.#take(']');
    if (this.#peek().kind !== '[]') this.#projected(21);
  }

  #afterDot(binding: number): void {
    switch (this.#peek().kind) {
      case 'name':
      case 'quoted':
      case '*':
        this.#expression(binding);
        break;
      case '[':
        this.#advance();
        this.#list();
        break;
      case '{':
        this.#advance();
        this.#hash();
        break;
      default:
        this.#fail('a name, "[" or "{"');
    }
  }

  #projected(binding: number): void {
    const token = this.#peek();
    if (bindingOf(token) < projectionMin) return;
    if (token.kind === '[' || token.kind === '[?') this.#expression(binding);
    else if (token.kind === '.') {
      this.#advance();
      this.#afterDot(binding);
    } else this.#fail('"[" or "."');
  }
}

function bindingOf({ kind }: Token): number {
  return Object.hasOwn(bindings, kind) ? (bindings[kind] ?? 0) : 0;
}

function isInteger(text: string): boolean {
  return /\d/.test(text) && Number.isSafeInteger(Number(text));
}

function isIndexEnd({ kind }: Token): boolean {
  return kind === ']' || kind === ':';
}
