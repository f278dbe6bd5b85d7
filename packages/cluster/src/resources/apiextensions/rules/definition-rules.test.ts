import { expect, test } from 'vitest';
import { root } from '../../../api/issue.ts';
import { crdBody, version } from '../../../testing/resources/crd-bodies.ts';
import { createIssues, lines } from '../../../testing/resources/judge.ts';
import { customresourcedefinitionDefinition } from '../customresourcedefinition.ts';
import { definitionRuleIssues } from './definition-rules.ts';

/*
 * What Kubernetes 1.34 says of a definition whose `spec` has such a schema; `…` is the place of that schema. The tables were
 * recorded from it.
 */
type Row = readonly [name: string, spec: object, issues: readonly string[]];

const place = 'spec.validation.openAPIV3Schema.properties[spec]';

function issuesOf(spec: object): readonly string[] {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [version('v1', { schema })];
  const issues = createIssues(customresourcedefinitionDefinition, crdBody({ versions }));
  const rules = definitionRuleIssues(schema.openAPIV3Schema, root('spec', 'validation', 'openAPIV3Schema'));
  return (issues.length > 0 ? issues : lines(rules)).map((issue) => issue.replaceAll(place, '…')).sort();
}

const rows: readonly Row[] = [
  [
    'not a boolean',
    { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-validations': [{ rule: 'self.a + 1' }] },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a + 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ],
  ],
  [
    'an unknown field',
    { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-validations': [{ rule: 'self.b == 1' }] },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.b == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field \'b\'\n | self.b == 1\n | ....^',
    ],
  ],
  [
    'no such function',
    { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.foo()' }] },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.foo()","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:9: undeclared reference to \'foo\' (in container \'\')\n | self.foo()\n | ........^',
    ],
  ],
  [
    'a syntax error',
    { type: 'string', 'x-kubernetes-validations': [{ rule: 'self ==' }] },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self ==","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:8: Syntax error: mismatched input \'<EOF>\' expecting {\'[\', \'{\', \'(\', \'.\', \'-\', \'!\', \'true\', \'false\', \'null\', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self ==\n | .......^',
    ],
  ],
  [
    'two mistakes',
    {
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: "self.a == 'x' && self.c" }],
    },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a == \'x\' \\u0026\\u0026 self.c","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:8: found no matching overload for \'_==_\' applied to \'(int, string)\'\n | self.a == \'x\' && self.c\n | .......^\nERROR: <input>:1:22: undefined field \'c\'\n | self.a == \'x\' && self.c\n | .....................^',
    ],
  ],
  [
    'an empty rule',
    { type: 'string', 'x-kubernetes-validations': [{ rule: '' }] },
    ['….x-kubernetes-validations[0].rule: Required value: rule is not specified'],
  ],
  [
    'a rule of several lines without a message',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self ==\n'a'" }] },
    ['….x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks'],
  ],
  [
    'a message of several lines',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'", message: 'a\nb' }] },
    ['….x-kubernetes-validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  ],
  [
    'a blank message',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'", message: ' ' }] },
    ['….x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified'],
  ],
  [
    'a blank messageExpression',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'", messageExpression: ' ' }] },
    [
      '….x-kubernetes-validations[0].messageExpression: Required value: messageExpression must be non-empty if specified',
    ],
  ],
  [
    'a messageExpression that gives no text',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'", messageExpression: '1' }] },
    [
      '….x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"self == \'a\'","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string',
    ],
  ],
  [
    'a messageExpression with a mistake',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'", messageExpression: "'a' + self.x" }] },
    [
      '….x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"self == \'a\'","Message":"","MessageExpression":"\'a\' + self.x","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:11: type \'string\' does not support field selection\n | \'a\' + self.x\n | ..........^',
    ],
  ],
  [
    'an unknown reason',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'", reason: 'Because' }] },
    [
      '….x-kubernetes-validations[0].reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ],
  [
    'a path that leads nowhere',
    {
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.a > 0', fieldPath: '.b' }],
    },
    ['….x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path'],
  ],
  [
    'a path that is none',
    {
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.a > 0', fieldPath: 'a' }],
    },
    ['….x-kubernetes-validations[0].fieldPath: Invalid value: "a": must be a valid path'],
  ],
  [
    'a path',
    {
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.a > 0', fieldPath: '.a', reason: 'FieldValueForbidden' }],
    },
    [],
  ],
  [
    'optionalOldSelf without oldSelf',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'", optionalOldSelf: true }] },
    [
      '….x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
  ],
  [
    'optionalOldSelf',
    {
      type: 'string',
      maxLength: 10,
      'x-kubernetes-validations': [{ rule: "oldSelf.orValue('') != self", optionalOldSelf: true }],
    },
    [],
  ],
  [
    'oldSelf in a list',
    {
      type: 'array',
      items: { type: 'string', maxLength: 5, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      maxItems: 3,
    },
    [
      '….items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within …',
    ],
  ],
  [
    'oldSelf in a list with keys',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      maxItems: 3,
      items: {
        type: 'object',
        required: ['k'],
        properties: { k: { type: 'string', maxLength: 3 } },
        'x-kubernetes-validations': [{ rule: 'self.k == oldSelf.k' }],
      },
    },
    [],
  ],
  [
    'oldSelf in a set',
    {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      maxItems: 3,
      items: { type: 'string', maxLength: 3, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    },
    [
      '….items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within …',
    ],
  ],
  [
    'a rule that costs too much',
    {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x == y))' }],
    },
    [
      '….x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '….x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  ],
  [
    'a rule that costs a little too much',
    {
      type: 'array',
      maxItems: 1000,
      items: { type: 'string', maxLength: 20 },
      'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x == y))' }],
    },
    [
      '….x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.300500x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  ],
  [
    'a rule that is run too often',
    {
      type: 'array',
      items: { type: 'string', maxLength: 100, 'x-kubernetes-validations': [{ rule: "self.matches('^[a-z]+$')" }] },
    },
    [
      '….items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 8.7x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  ],
  [
    'a rule within limits',
    {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 100, 'x-kubernetes-validations': [{ rule: "self.matches('^[a-z]+$')" }] },
    },
    [],
  ],
  [
    'a rule of an unlimited map',
    {
      type: 'object',
      additionalProperties: {
        type: 'string',
        'x-kubernetes-validations': [{ rule: "self.contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')" }],
      },
    },
    [
      '….additionalProperties.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '….additionalProperties.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  ],
  [
    'an expensive message',
    {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-validations': [
        { rule: 'self.size() > 0', messageExpression: 'self.map(x, self.map(y, x + y).join()).join()' },
      ],
    },
    [
      '….x-kubernetes-validations[0].messageExpression: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '….x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  ],
  [
    'a field of any content',
    {
      type: 'object',
      properties: { a: { 'x-kubernetes-preserve-unknown-fields': true } },
      'x-kubernetes-validations': [{ rule: 'self.a == 1' }],
    },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field \'a\'\n | self.a == 1\n | ....^',
    ],
  ],
  [
    'a rule on any content',
    { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'self == 1' }] },
    [
      '….x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
    ],
  ],
  [
    'escaped names',
    {
      type: 'object',
      properties: {
        'a-b': { type: 'integer' },
        'c.d': { type: 'integer' },
        'e/f': { type: 'integer' },
        namespace: { type: 'string' },
        g__h: { type: 'integer' },
      },
      'x-kubernetes-validations': [
        {
          rule: "self.a__dash__b > self.c__dot__d && self.e__slash__f > 0 && self.__namespace__ == 'x' && self.g__underscores__h > 1",
        },
      ],
    },
    [],
  ],
  [
    'a wrong literal',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self == string(int('x'))" }] },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self == string(int(\'x\'))","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: program instantiation failed: type conversion error from \'string\' to \'int\'',
    ],
  ],
  [
    'a pattern that is none',
    { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('(')" }] },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.matches(\'(\')","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:14: invalid matches argument\n | self.matches(\'(\')\n | .............^',
    ],
  ],
  [
    'a rule on an integer or text',
    {
      'x-kubernetes-int-or-string': true,
      'x-kubernetes-validations': [{ rule: "type(self) == int ? self > 0 : self.endsWith('%')" }],
    },
    [],
  ],
  [
    'functions of 1.34',
    {
      type: 'array',
      maxItems: 5,
      items: { type: 'integer' },
      'x-kubernetes-validations': [{ rule: 'self.sort() == self.distinct() && self.first().orValue(0) >= 0' }],
    },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.sort() == self.distinct() \\u0026\\u0026 self.first().orValue(0) \\u003e= 0","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:10: undeclared reference to \'sort\' (in container \'\')\n | self.sort() == self.distinct() && self.first().orValue(0) >= 0\n | .........^\nERROR: <input>:1:29: undeclared reference to \'distinct\' (in container \'\')\n | self.sort() == self.distinct() && self.first().orValue(0) >= 0\n | ............................^',
    ],
  ],
  [
    'math, which is not there',
    { type: 'integer', 'x-kubernetes-validations': [{ rule: 'math.greatest(self, 1) > 0' }] },
    [
      '….x-kubernetes-validations[0].rule: Invalid value: {"Rule":"math.greatest(self, 1) \\u003e 0","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:1: undeclared reference to \'math\' (in container \'\')\n | math.greatest(self, 1) > 0\n | ^\nERROR: <input>:1:14: undeclared reference to \'greatest\' (in container \'\')\n | math.greatest(self, 1) > 0\n | .............^',
    ],
  ],
  [
    'defaults that break rules, before rules that have mistakes',
    {
      type: 'object',
      properties: {
        a: { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 3' }] },
        b: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self.x' }] },
      },
    },
    ['….properties[a].default: Invalid value: "integer": failed rule: self > 3'],
  ],
  [
    'a default that breaks a rule within',
    {
      type: 'object',
      properties: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > oldSelf' }] } },
      default: { a: 1 },
    },
    ['….default.a: Invalid value: "integer": failed rule: self > oldSelf'],
  ],
  [
    'a default of which a rule asks whether it was there',
    {
      type: 'integer',
      default: 1,
      'x-kubernetes-validations': [{ rule: '!oldSelf.hasValue()', optionalOldSelf: true }],
    },
    ['….default: Invalid value: "integer": failed rule: !oldSelf.hasValue()'],
  ],
  [
    'rules in anyOf',
    { type: 'integer', anyOf: [{ 'x-kubernetes-validations': [{ rule: 'self > 3' }] }] },
    ['….anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural'],
  ],
];

test.each(rows)('%s', (_, spec, issues) => expect(issuesOf(spec)).toEqual([...issues].sort()));

test('of rules that cost too much together the dearest are named', () => {
  const list = {
    type: 'array',
    maxItems: 900,
    items: { type: 'string', maxLength: 20 },
    'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x == y))' }],
  };
  const properties = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index}`, list]));
  const issues = [...definitionRuleIssues({ type: 'object', properties }, root('schema'))];
  expect(issues.filter(({ message }) => message.includes('contributed to'))).toHaveLength(4);
  expect(issues.at(-1)).toMatchObject({
    field: 'schema',
    message: expect.stringContaining('exceeds budget by factor of 1.264140x') as string,
  });
});
