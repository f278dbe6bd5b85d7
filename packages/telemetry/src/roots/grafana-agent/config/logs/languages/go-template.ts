/*
 * The grammar of Go's text/template, to find beforehand what Promtail's `template` stage would refuse. As Go's parser does,
 * it looks at words, nesting, functions and variables, not at what comes out.
 */
import { goString, isGoChar, isGoNumber } from './go-literal.ts';
import { TemplateProblem, type Token, type TokenKind, templateTokens } from './go-template-tokens.ts';
import { readsEnvironment, templateFunctions } from './template-functions.ts';

/** Why the text is no template of Promtail's; undefined: it is one. */
export function templateProblem(text: string): string | undefined {
  try {
    new Parser([...templateTokens(text)]).whole();
    return undefined;
  } catch (error) {
    if (error instanceof TemplateProblem) return error.message;
    throw error;
  }
}

/** What a list of nodes ended with. */
type Ending = 'else' | 'end' | 'text ended';

/** A part that knows its own variables and loops: the whole text, a `define`, a `block`. */
interface Scope {
  readonly variables: string[];
  loops: number;
  /** Something stands in it but blanks and definitions. */
  isFilled: boolean;
}

const depthMax = 200;
/** What Promtail calls the whole text. */
const ownName = 'pipeline_template';

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #scope: Scope = { variables: ['$'], loops: 0, isFilled: false };
  readonly #filled = new Set<string>();

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): void {
    for (;;) {
      if (this.#isAction('define')) this.#define();
      else {
        const ending = this.#node();
        if (ending === 'text ended') break;
        if (ending !== undefined) throw new TemplateProblem(`{{${ending}}} belongs to nothing`);
      }
    }
    this.#fill(ownName);
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#next + ahead] ?? { kind: 'end', text: 'the end' };
  }

  #advance(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #skipSpace(): Token {
    while (this.#peek().kind === 'space') this.#next += 1;
    return this.#peek();
  }

  #take(kind: TokenKind, context: string): Token {
    const token = this.#skipSpace();
    if (token.kind !== kind) this.#unexpected(context);
    return this.#advance();
  }

  #unexpected(context: string): never {
    throw new TemplateProblem(`unexpected ${this.#peek().text} in ${context}`);
  }

  #isAction(keyword: string): boolean {
    if (this.#peek().kind !== 'open') return false;
    const word = this.#peek(this.#peek(1).kind === 'space' ? 2 : 1);
    return word.kind === 'keyword' && word.text === keyword;
  }

  #isKeyword(keyword: string): boolean {
    const { kind, text } = this.#peek();
    return kind === 'keyword' && text === keyword;
  }

  #define(): void {
    this.#advance();
    this.#skipSpace();
    this.#advance();
    const name = this.#name('define');
    this.#take('close', 'define');
    this.#own('define', name);
  }

  /** The body of a definition, in a scope of its own. */
  #own(context: string, name: string): void {
    const outer = this.#scope;
    this.#scope = { variables: ['$'], loops: 0, isFilled: false };
    if (this.#list() !== 'end') throw new TemplateProblem(`{{else}} belongs to no ${context}`);
    this.#fill(name);
    this.#scope = outer;
  }

  /** An empty definition gives way to another of its name; of two others neither does. */
  #fill(name: string): void {
    if (!this.#scope.isFilled) return;
    if (this.#filled.has(name)) throw new TemplateProblem(`there are two templates called "${name}"`);
    this.#filled.add(name);
  }

  #name(context: string): string {
    const token = this.#take('string', context);
    const name = goString(token.text);
    if (name === undefined) throw new TemplateProblem(`${token.text} is no string of Go`);
    return name;
  }

  #list(): 'else' | 'end' {
    this.#depth += 1;
    if (this.#depth > depthMax) throw new TemplateProblem('it is nested too deeply');
    for (;;) {
      const ending = this.#node();
      if (ending === 'text ended') throw new TemplateProblem('an {{end}} is missing');
      if (ending === undefined) continue;
      this.#depth -= 1;
      return ending;
    }
  }

  #node(): Ending | undefined {
    const { kind, text } = this.#advance();
    if (kind === 'end') return 'text ended';
    if (kind === 'open') return this.#action();
    if (/\S/.test(text)) this.#scope.isFilled = true;
    return undefined;
  }

  #action(): Ending | undefined {
    const token = this.#skipSpace();
    const isNode = token.kind !== 'keyword' || (token.text !== 'end' && token.text !== 'else');
    if (isNode) this.#scope.isFilled = true;
    if (token.kind !== 'keyword') return this.#pipeline('command', 'close');
    this.#advance();
    switch (token.text) {
      case 'end':
        this.#take('close', 'end');
        return 'end';
      case 'else':
        return this.#else();
      case 'if':
      case 'range':
      case 'with':
        return this.#control(token.text);
      case 'break':
      case 'continue':
        this.#take('close', token.text);
        if (this.#scope.loops === 0) throw new TemplateProblem(`{{${token.text}}} stands in no {{range}}`);
        return undefined;
      case 'template':
        this.#name('template');
        if (this.#skipSpace().kind === 'close') this.#advance();
        else this.#pipeline('template', 'close');
        return undefined;
      case 'block':
        return this.#block();
      default:
        this.#next -= 1;
        return this.#pipeline('command', 'close');
    }
  }

  #block(): undefined {
    const name = this.#name('block');
    this.#pipeline('block', 'close');
    this.#own('block', name);
    return undefined;
  }

  #else(): Ending {
    this.#skipSpace();
    if (!this.#isKeyword('if') && !this.#isKeyword('with')) this.#take('close', 'else');
    return 'else';
  }

  #control(context: 'if' | 'range' | 'with'): undefined {
    const known = this.#scope.variables.length;
    this.#pipeline(context, 'close');
    if (context === 'range') this.#scope.loops += 1;
    const ending = this.#list();
    if (context === 'range') this.#scope.loops -= 1;
    if (ending === 'else') {
      const isChained = context !== 'range' && this.#isKeyword(context);
      if (isChained) {
        this.#advance();
        this.#control(context);
      } else {
        if (this.#peek().kind === 'keyword') this.#unexpected(`else of ${context}`);
        if (this.#list() !== 'end') throw new TemplateProblem('an {{else}} follows another');
      }
    }
    this.#scope.variables.length = known;
    return undefined;
  }

  #pipeline(context: string, closing: TokenKind): undefined {
    this.#declarations(context);
    for (let stage = 1; ; stage++) {
      const token = this.#skipSpace();
      if (token.kind === closing) {
        if (stage === 1) throw new TemplateProblem(`a value is missing in ${context}`);
        this.#advance();
        return undefined;
      }
      if (!operands.has(token.kind) && !this.#isKeyword('nil')) this.#unexpected(context);
      if (stage > 1 && (literals.has(token.kind) || this.#isKeyword('nil')))
        throw new TemplateProblem(`${token.text} is no function that a value could be handed to`);
      this.#command();
    }
  }

  #declarations(context: string): void {
    for (let count = 1; ; count++) {
      const variable = this.#skipSpace();
      if (variable.kind !== 'variable') return;
      const start = this.#next;
      this.#advance();
      const { kind } = this.#skipSpace();
      if (kind !== 'assign' && kind !== 'declare' && kind !== 'comma') {
        this.#next = start;
        return;
      }
      this.#advance();
      this.#scope.variables.push(variable.text);
      if (kind !== 'comma') return;
      if (context !== 'range' || count > 1) throw new TemplateProblem(`too many declarations in ${context}`);
      const after = this.#skipSpace().kind;
      if (after !== 'variable' && after !== 'close' && after !== ')')
        throw new TemplateProblem('range can only declare variables');
    }
  }

  #command(): void {
    for (let count = 0; ; count++) {
      this.#skipSpace();
      const isThere = this.#operand();
      if (!isThere && count === 0) throw new TemplateProblem('a command is empty');
      const { kind } = this.#peek();
      if (kind === 'space') this.#advance();
      else if (kind === 'pipe') return void this.#advance();
      else if (kind === 'close' || kind === ')') return;
      else this.#unexpected('operand');
    }
  }

  #operand(): boolean {
    const token = this.#peek();
    if (!this.#term()) return false;
    if (this.#peek().kind !== 'field') return true;
    if (literals.has(token.kind) || token.text === 'nil') throw new TemplateProblem(`a field of ${token.text}`);
    while (this.#peek().kind === 'field') this.#advance();
    return true;
  }

  #term(): boolean {
    const { kind, text } = this.#peek();
    switch (kind) {
      case 'identifier':
        checkFunction(text);
        break;
      case 'variable':
        if (!this.#scope.variables.includes(text)) throw new TemplateProblem(`the variable ${text} is not declared`);
        break;
      case 'number':
        if (!isGoNumber(text)) throw new TemplateProblem(`${text} is no number`);
        break;
      case 'char':
        if (!isGoChar(text)) throw new TemplateProblem(`${text} is no character`);
        break;
      case 'string':
        if (goString(text) === undefined) throw new TemplateProblem(`${text} is no string of Go`);
        break;
      case '(':
        this.#advance();
        this.#depth += 1;
        if (this.#depth > depthMax) throw new TemplateProblem('it is nested too deeply');
        this.#pipeline('parentheses', ')');
        this.#depth -= 1;
        return true;
      case 'bool':
      case 'dot':
      case 'field':
        break;
      default:
        if (!this.#isKeyword('nil')) return false;
    }
    this.#advance();
    return true;
  }
}

const operands: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'bool',
  'char',
  'dot',
  'field',
  'identifier',
  'number',
  'string',
  'variable',
  '(',
]);
const literals: ReadonlySet<TokenKind> = new Set<TokenKind>(['bool', 'char', 'dot', 'number', 'string']);

function checkFunction(name: string): void {
  if (readsEnvironment.has(name)) throw new TemplateProblem(`${name} would read the environment of the agents`);
  if (!templateFunctions.has(name)) throw new TemplateProblem(`there is no function "${name}"`);
}
