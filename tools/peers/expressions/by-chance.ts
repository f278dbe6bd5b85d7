/** Schemas with rules, objects for them, and policies: by chance, of parts that users write. */
import type { Random } from '@signalbox/cluster';

export interface PlayedRule {
  readonly spec: object;
  /** Written one after the other to one object. */
  readonly values: readonly object[];
}

export interface PlayedPolicy {
  readonly spec: object;
  readonly data: readonly Readonly<Record<string, string>>[];
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.below(list.length)] as T;
}

function several<T>(random: Random, most: number, make: () => T): readonly T[] {
  return Array.from({ length: 1 + random.below(most) }, make);
}

const comparisons = ['==', '!=', '<', '<=', '>', '>='];

/** About a `spec` with `i`, `j`, `s`, `l`, `m`, `o`, `t`, `d`; `of` is `self` or `oldSelf`. */
function condition(random: Random, of: string, depth = 2): string {
  const inner = (): string => condition(random, of, depth - 1);
  const number = (): string =>
    pick(random, [
      `${of}.i`,
      `${of}.j`,
      '0',
      '3',
      '-1',
      `${of}.l.size()`,
      `${of}.s.size()`,
      `size(${of}.m)`,
      `${of}.o.x`,
    ]);
  const text = (): string =>
    pick(random, [`${of}.s`, "'a'", "''", `${of}.o.y`, `${of}.s + 'a'`, `string(${of}.i)`, `${of}.l.join(',')`]);
  const makes: readonly (() => string)[] = [
    () => `${number()} ${pick(random, comparisons)} ${number()}`,
    () => `${text()} ${pick(random, comparisons)} ${text()}`,
    () => `has(${of}.${pick(random, ['i', 'j', 's', 'l', 'm', 'o', 'o.x', 't'])})`,
    () => `${of}.l.${pick(random, ['all', 'exists', 'exists_one'])}(e, e ${pick(random, comparisons)} ${text()})`,
    () => `${of}.l.all(e, ${of}.l.exists(f, f == e + e))`,
    () => `${of}.m.all(k, ${of}.m[k] > ${number()})`,
    () => `${of}.m.all(k, v, v > 0 || k == ${text()})`,
    () => `${text()}.${pick(random, ['startsWith', 'endsWith', 'contains'])}(${text()})`,
    () => `${of}.s.matches('${pick(random, ['^a+$', '[0-9]', 'x.*y', '.'])}')`,
    () => `(${number()} ${pick(random, ['+', '-', '*', '/', '%'])} ${number()}) > ${number()}`,
    () => `${of}.t > timestamp('2020-01-01T00:00:00Z')`,
    () => `${of}.d < duration('${pick(random, ['1h', '1s'])}')`,
    () => `${of}.?o.x.orValue(3) > ${number()}`,
    () => `${of}.l.map(e, e.size()).sum() > ${number()}`,
    () => `${of}.l.isSorted()`,
    () => `${of}.v == ${pick(random, ['1', "'1'", "'50%'"])}`,
    () => `quantity(${text()}).isGreaterThan(quantity('1'))`,
    () => `isURL(${text()}) || isIP(${text()})`,
    () => `${of}.s in ${of}.l`,
    () => `'%s is %d'.format([${text()}, ${number()}]) != ''`,
    () => `${of}.s.lowerAscii().replace('a', 'b') == ${text()}`,
  ];
  if (depth > 0 && random.below(3) === 0) {
    const form = pick(random, ['and', 'or', 'not', 'choice']);
    if (form === 'and') return `(${inner()} && ${inner()})`;
    if (form === 'or') return `(${inner()} || ${inner()})`;
    return form === 'not' ? `!(${inner()})` : `(${inner()} ? ${inner()} : ${inner()})`;
  }
  return pick(random, makes)();
}

function ruleBy(random: Random): object {
  const isTransition = random.below(4) === 0;
  const isOptional = isTransition && random.below(3) === 0;
  const of = isOptional ? 'oldSelf.value()' : 'oldSelf';
  const own = condition(random, 'self');
  return {
    rule: !isTransition
      ? own
      : isOptional
        ? `!oldSelf.hasValue() || ${condition(random, of)}`
        : `${own} || ${condition(random, of)}`,
    ...(isOptional && { optionalOldSelf: true }),
    ...(random.below(3) === 0 && { message: 'as it is told' }),
    ...(random.below(4) === 0 && { messageExpression: `'got ' + self.s + string(self.i)` }),
    ...(random.below(4) === 0 && { fieldPath: pick(random, ['.i', '.o.x', '.l', ".m['k']"]) }),
    ...(random.below(4) === 0 && {
      reason: pick(random, ['FieldValueRequired', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueDuplicate']),
    }),
  };
}

const integer = { type: 'integer' };

export function playedRule(random: Random): PlayedRule {
  // Without limits most rules are too dear to be taken, which is told as well.
  const isLimited = random.below(8) !== 0;
  const max = (of: object): object => (isLimited ? of : {});
  const text = { type: 'string', ...max({ maxLength: 20 }) };
  const spec = {
    type: 'object',
    properties: {
      ...{ i: integer, j: { ...integer, default: 2 }, s: text, d: { type: 'string', format: 'duration' } },
      l: {
        type: 'array',
        items: text,
        'x-kubernetes-list-type': pick(random, ['atomic', 'set']),
        ...max({ maxItems: 6 }),
      },
      m: { type: 'object', additionalProperties: integer, ...max({ maxProperties: 6 }) },
      o: { type: 'object', properties: { x: integer, y: text } },
      t: { type: 'string', format: 'date-time' },
      v: { 'x-kubernetes-int-or-string': true },
    },
    'x-kubernetes-validations': several(random, 3, () => ruleBy(random)),
  };
  return { spec, values: several(random, 5, () => valueBy(random)) };
}

function valueBy(random: Random): object {
  const word = (): string => pick(random, ['', 'a', 'aa', 'b', 'x-y', '12', '1', '10.0.0.1', 'http://a/b', 'é']);
  const some = (part: object): object => (random.below(4) === 0 ? {} : part);
  return {
    ...some({ i: random.below(7) - 2 }),
    ...some({ s: word() }),
    ...some({ l: [...new Set(several(random, 3, word))] }),
    ...some({ m: Object.fromEntries(several(random, 2, () => [pick(random, ['a', 'k', 'b.c']), random.below(4)])) }),
    ...some({ o: { ...some({ x: random.below(5) }), ...some({ y: word() }) } }),
    ...some({ t: pick(random, ['2019-12-31T23:59:59Z', '2024-02-29T12:00:00+01:00']) }),
    ...some({ v: pick<number | string>(random, [1, '1', '50%']) }),
    ...some({ d: pick(random, ['1m', '2h', '1.5s']) }),
  };
}

/** About ConfigMaps: their data is text. */
function dataCondition(random: Random): string {
  const of = (): string =>
    pick(random, [
      'object.data.a',
      "object.data['b']",
      'object.metadata.name',
      "object.?data.a.orValue('z')",
      "'a'",
      'request.operation',
      'namespaceObject.metadata.name',
      'variables.v',
    ]);
  const makes: readonly (() => string)[] = [
    () => `${of()} ${pick(random, comparisons)} ${of()}`,
    () => `has(object.data.${pick(random, ['a', 'b', 'c'])})`,
    () => `int(${of()}) > ${random.below(5)}`,
    () => `object.data.all(k, object.data[k].size() < ${random.below(5)})`,
    () => `object.data.exists(k, v, v == ${of()})`,
    () => `${of()}.startsWith(${of()})`,
    () => `oldObject == null || oldObject.data.a == object.data.a`,
    () => `request.userInfo.username == 'nobody' || request.dryRun`,
    () =>
      `authorizer.group('').resource('configmaps').namespace('played').check('${pick(random, ['get', 'create'])}').allowed()`,
    () => `object.data.a in ['a', 'b', ${of()}]`,
    () => `object.data.map(k, k).size() == ${random.below(3)}`,
    () => `object.data == {'a': ${of()}}`,
    () => `object.data.${pick(random, ['a', 'b'])}.matches('^[0-9]+$')`,
  ];
  const one = pick(random, makes)();
  return random.below(3) === 0 ? `(${one}) ${pick(random, ['&&', '||'])} !(${pick(random, makes)()})` : one;
}

export function playedPolicy(random: Random): PlayedPolicy {
  const word = (): string => pick(random, ['', 'a', 'b', '12', '3', 'aa', 'abcdef']);
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] };
  const spec = {
    failurePolicy: pick(random, ['Fail', 'Fail', 'Ignore']),
    matchConstraints: {
      resourceRules: [rule],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'played' } },
    },
    variables: [
      {
        name: 'v',
        expression: pick(random, ['object.data.a', "'x'", 'object.metadata.name', 'string(1 / int(object.data.a))']),
      },
    ],
    ...(random.below(4) === 0 && { matchConditions: [{ name: 'c', expression: dataCondition(random) }] }),
    validations: several(random, 3, () => ({
      expression: dataCondition(random),
      ...(random.below(3) === 0 && { message: 'as it is told' }),
      ...(random.below(3) === 0 && { messageExpression: `'got ' + object.data.${pick(random, ['a', 'b'])}` }),
      ...(random.below(3) === 0 && { reason: pick(random, ['Forbidden', 'Invalid', 'RequestEntityTooLarge']) }),
    })),
  };
  const data = several(random, 5, () =>
    Object.fromEntries(several(random, 3, () => [pick(random, ['a', 'b', 'c']), word()])),
  );
  return { spec, data };
}
