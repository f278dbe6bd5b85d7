import {
  dnsLabel1035Problems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../api/names.ts';
import { formatProblem } from '../../api/schema/format.ts';
import { fixed, validates } from '../costs/rules.ts';
import { listOf, opaque, optionalOf, string, type Type } from '../types/type.ts';
import { Values } from '../values/collections.ts';
import { Opaque, Optional } from '../values/value.ts';
import { fn, instance, member, type Overload, text } from './overload.ts';
import { parseUrl } from './urls.ts';

export const formatType: Type = opaque('kubernetes.NamedFormat');

interface Rule {
  /** What the rule is taken to cost: as much as a pattern of this length. */
  readonly patternSize: number;
  problems(subject: string): readonly string[];
}

class Format extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly rule: Rule;

  constructor(name: string, rule: Rule) {
    super();
    this.name = name;
    this.rule = rule;
  }

  get patternSize(): number {
    return this.rule.patternSize;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

/** The beginning of a generated name: what may stand before a suffix, so a dash at its end is no mistake. */
function beginning(problems: (name: string) => readonly string[]): (name: string) => readonly string[] {
  return (name) => problems(name.endsWith('-') && name.length > 1 ? `${name.slice(0, -1)}a` : name);
}

function known(format: string, problem: string): (subject: string) => readonly string[] {
  return (subject) => (formatProblem(subject, format) ? [problem] : []);
}

const rules: Readonly<Record<string, Rule>> = {
  dns1123Label: { patternSize: 30, problems: dnsLabelProblems },
  dns1123Subdomain: { patternSize: 60, problems: dnsSubdomainProblems },
  dns1035Label: { patternSize: 30, problems: dnsLabel1035Problems },
  qualifiedName: { patternSize: 60, problems: qualifiedNameProblems },
  dns1123LabelPrefix: { patternSize: 30, problems: beginning(dnsLabelProblems) },
  dns1123SubdomainPrefix: { patternSize: 60, problems: beginning(dnsSubdomainProblems) },
  dns1035LabelPrefix: { patternSize: 30, problems: beginning(dnsLabel1035Problems) },
  labelValue: { patternSize: 40, problems: labelValueProblems },
  uri: {
    patternSize: 1103,
    problems: (subject) =>
      parseUrl(subject) === undefined ? [`parse ${JSON.stringify(subject)}: invalid URI for request`] : [],
  },
  uuid: { patternSize: 74, problems: known('uuid', 'does not match the UUID format') },
  byte: { patternSize: 84, problems: known('byte', 'invalid base64') },
  date: { patternSize: 130, problems: known('date', 'invalid date') },
  datetime: { patternSize: 130, problems: known('date-time', 'invalid datetime') },
};

const formatOf = new Map(Object.entries(rules).map(([name, rule]) => [name, new Format(name, rule)]));

export const formats: readonly Overload[] = [
  ...[...formatOf].map(([name, format]) => fn(`format.${name}`, { parameters: [], result: formatType }, () => format)),
  fn('format.named', { parameters: [string], result: optionalOf(formatType), costs: fixed(1) }, ([x]) => {
    const format = formatOf.get(text(x));
    return format === undefined ? Optional.none : Optional.of(format);
  }),
  member(
    'validate',
    { parameters: [formatType, string], result: optionalOf(listOf(string)), costs: validates },
    ([x, y]) => {
      const problems = instance(x, Format).rule.problems(text(y));
      return problems.length === 0 ? Optional.none : Optional.of(new Values(problems));
    },
  ),
];
