import type { LogMetric, PipelineStage } from '../../../../resources/pod-logs.ts';
import { checkFilled, checkGoDuration, checkLabelNames, checkRegex, type Place } from '../../../../scrape/checks.ts';
import { goDurationMs } from '../../../../scrape/duration.ts';
import { templateProblem } from './languages/go-template.ts';
import { jmespathProblem } from './languages/jmespath.ts';
import { matchSelectorProblem } from './languages/match-selector.ts';
import { namesEnvironment } from './languages/template-functions.ts';
import { isTimeZone } from './languages/time-zones.ts';

/**
 * What Promtail's stages refuse when they are made. One refused stage stops the logs of everybody, so it has to be found
 * before; only what it refuses for certain is.
 */
export function checkStage(stage: PipelineStage, { leaf, at }: Place): void {
  for (const [name, check] of Object.entries(checks))
    if (stage[name as keyof PipelineStage] !== undefined) check(stage, { leaf, at: `${at}.${name}` });
}

type Check = (stage: PipelineStage, place: Place) => void;

const checks: Readonly<Partial<Record<keyof PipelineStage, Check>>> = {
  drop: checkDrop,
  json({ json }, place) {
    const expressions = Object.entries(json?.expressions ?? {});
    if (expressions.length === 0) reject(place, '.expressions', 'must not be empty');
    for (const [name, expression] of expressions) {
      if (name === '' && expression === '') reject(place, '.expressions', 'an entry needs a name or an expression');
      const at = `${place.at}.expressions[${name}]`;
      const language = 'JMESPath expression';
      // A name is a key, in which nothing is expanded.
      const problem = expression === '' ? jmespathProblem(name) : undefined;
      if (problem !== undefined) reject(place, `.expressions[${name}]`, `is no ${language}: ${problem}`);
      checkLanguage(expression, jmespathProblem, { leaf: place.leaf, at, language });
    }
  },
  labelAllow: ({ labelAllow }, place) => checkNames(labelAllow, place),
  labelDrop: ({ labelDrop }, place) => checkNames(labelDrop, place),
  labels({ labels }, place) {
    checkNames(Object.keys(labels ?? {}), place);
    checkLabelNames(labels, place);
  },
  limit({ limit }, place) {
    for (const field of ['rate', 'burst'] as const)
      if ((limit?.[field] ?? 0) <= 0) reject(place, `.${field}`, 'must be greater than 0');
  },
  match: checkMatch,
  metrics({ metrics }, place) {
    for (const [name, metric] of Object.entries(metrics ?? {}))
      checkMetric(name, metric, { ...place, at: `${place.at}.${name}` });
  },
  multiline({ multiline }, { leaf, at }) {
    checkFilled(multiline?.firstLine, { leaf, at: `${at}.firstLine` });
    checkRegex(multiline?.firstLine, { leaf, at: `${at}.firstLine` });
    checkGoDuration(multiline?.maxWaitTime, { leaf, at: `${at}.maxWaitTime` });
    if ((multiline?.maxLines ?? 0) < 0) leaf.reject('InvalidField', `${at}.maxLines`, 'must not be negative');
  },
  output: ({ output }, { leaf, at }) => checkFilled(output?.source, { leaf, at: `${at}.source` }),
  regex({ regex }, { leaf, at }) {
    checkFilled(regex?.expression, { leaf, at: `${at}.expression` });
    checkRegex(regex?.expression, { leaf, at: `${at}.expression` });
  },
  replace({ replace }, { leaf, at }) {
    checkFilled(replace?.expression, { leaf, at: `${at}.expression` });
    checkRegex(replace?.expression, { leaf, at: `${at}.expression` });
    checkReplacement(replace?.replace, { leaf, at: `${at}.replace` });
  },
  template({ template }, { leaf, at }) {
    checkFilled(template?.source, { leaf, at: `${at}.source` });
    checkLanguage(template?.template, templateProblem, {
      leaf,
      at: `${at}.template`,
      language: 'template of Promtail',
    });
  },
  tenant({ tenant }, place) {
    const ways = [tenant?.label, tenant?.source, tenant?.value].filter((way) => way !== undefined && way !== '');
    if (ways.length !== 1) reject(place, '', 'needs exactly one of label, source and value');
  },
  timestamp({ timestamp }, { leaf, at }) {
    checkFilled(timestamp?.source, { leaf, at: `${at}.source` });
    checkFilled(timestamp?.format, { leaf, at: `${at}.format` });
    checkOneOf(timestamp?.actionOnFailure, ['fudge', 'skip'], { leaf, at: `${at}.actionOnFailure` });
    const { location = '' } = timestamp ?? {};
    if (location !== '' && !leaf.readings(location).every(isTimeZone))
      leaf.reject('InvalidField', `${at}.location`, `"${location}" is no time zone such as Europe/Berlin or UTC`);
  },
};

/** It is a template, too, but Promtail reads it when a line comes: one that it cannot read changes nothing. */
function checkReplacement(text = '', { leaf, at }: Place): void {
  const wrong = leaf.readings(text).filter((read) => templateProblem(read) !== undefined);
  const problem = templateProblem(wrong[0] ?? '');
  if (problem === undefined) return;
  // Only what certainly cannot read the environment may stay.
  if (wrong.some(namesEnvironment)) leaf.reject('InvalidField', at, `is no template of Promtail: ${problem}`);
  else leaf.warn('FieldIgnored', at, `is no template of Promtail, so nothing is replaced: ${problem}`);
}

function checkDrop({ drop }: PipelineStage, place: Place): void {
  const { leaf, at } = place;
  checkRegex(drop?.expression, { leaf, at: `${at}.expression` });
  checkGoDuration(drop?.olderThan, { leaf, at: `${at}.olderThan` });
  if (drop?.value && !drop.source) reject(place, '.value', 'says nothing without source');
  if (drop?.longerThan && !leaf.readings(drop.longerThan).every(isByteSize))
    reject(place, '.longerThan', `"${drop.longerThan}" is no size such as 8kb or 1MB`);
  if (drop?.expression && drop.value) reject(place, '', 'takes expression or value, not both');
  if (!drop?.source && !drop?.expression && !drop?.olderThan && !drop?.longerThan)
    reject(place, '', 'needs at least one of source, expression, olderThan and longerThan');
}

function checkMatch({ match }: PipelineStage, place: Place): void {
  const { leaf, at } = place;
  const { selector, stages = '', action = '' } = match ?? { selector: '' };
  checkFilled(selector, { leaf, at: `${at}.selector` });
  checkLanguage(selector, matchSelectorProblem, { leaf, at: `${at}.selector`, language: 'selector of Promtail' });
  checkOneOf(action, ['drop', 'keep'], { leaf, at: `${at}.action` });
  if (action === 'drop' && stages !== '') reject(place, '.stages', 'has no effect on lines that are dropped');
  if (action !== 'drop' && stages === '') reject(place, '.stages', 'needs at least one stage');
}

const actions: Readonly<Record<string, readonly string[]>> = {
  counter: ['add', 'inc'],
  gauge: ['add', 'dec', 'inc', 'set', 'sub'],
};

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

function checkMetric(name: string, metric: LogMetric, place: Place): void {
  const { type, action, maxIdleDuration, buckets = [] } = metric;
  const { leaf, at } = place;
  // The agent would take the file, and answer whoever asks for its own metrics with an error.
  const prefix = metric.prefix || 'promtail_custom_';
  if (!leaf.readings(prefix).every((read) => metricName.test(`${read}${name}`)))
    reject(place, '', `"${prefix}${name}" is no name of a metric`);
  const known = actions[type.toLowerCase()];
  if (known !== undefined) {
    checkFilled(action, { leaf, at: `${at}.action` });
    checkOneOf(action.toLowerCase(), known, { leaf, at: `${at}.action` });
  }
  checkGoDuration(maxIdleDuration, { leaf, at: `${at}.maxIdleDuration` });
  if (leaf.readings(maxIdleDuration ?? '').some((read) => (goDurationMs(read) ?? 1_000) < 1_000))
    reject(place, '.maxIdleDuration', 'must be at least 1s');
  if (type.toLowerCase() === 'counter') checkCounter(metric, place);
  // The agent would take the file, and die with the first line that is counted.
  if (buckets.some((bucket, index) => index > 0 && Number(bucket) <= Number(buckets[index - 1])))
    reject(place, '.buckets', 'every bucket must be greater than the one before it');
}

function checkCounter({ action, matchAll, countEntryBytes, value }: LogMetric, place: Place): void {
  if (matchAll === true && value) reject(place, '.value', 'has no place beside matchAll: every line counts');
  if (countEntryBytes !== true) return;
  if (matchAll !== true) reject(place, '.countEntryBytes', 'needs matchAll');
  if (action.toLowerCase() !== 'add') reject(place, '.countEntryBytes', 'needs the action add');
}

const sizeUnits = /^(?:b|byte|[kmgtpe]b?|(?:kilo|mega|giga|tera|peta|exa)(?:bytes?)?)?$/i;

/** As the agent's flags have sizes: whole numbers, at most 64 bits together with the unit. */
function isByteSize(text: string): boolean {
  const [, number, unit = ''] = /^(\d+)\s*(\S*)\s*$/.exec(text) ?? [];
  // A capital and a small letter are bits, which nobody measures lines in.
  if (number === undefined || !sizeUnits.test(unit) || /^[KMGTPE]b$/.test(unit)) return false;
  const factor = 1024n ** BigInt('kmgtpe'.indexOf(unit.charAt(0).toLowerCase() || ' ') + 1);
  return BigInt(number) * factor < 2n ** 64n;
}

interface Languages extends Place {
  readonly language: string;
}

function checkLanguage(
  text: string | undefined,
  problemOf: (text: string) => string | undefined,
  { leaf, at, language }: Languages,
): void {
  const read = text === undefined || text === '' ? [] : leaf.readings(text);
  const [problem] = read.flatMap((each) => problemOf(each) ?? []);
  if (problem !== undefined) leaf.reject('InvalidField', at, `is no ${language}: ${problem}`);
}

function checkNames(names: readonly string[] | undefined, place: Place): void {
  if ((names ?? []).length === 0) reject(place, '', 'must name at least one label');
}

function checkOneOf(text: string | undefined, allowed: readonly string[], { leaf, at }: Place): void {
  if (text !== undefined && text !== '' && !allowed.includes(text))
    leaf.reject('InvalidField', at, `"${text}" is none of ${allowed.join(', ')}`);
}

function reject({ leaf, at }: Place, field: string, message: string): void {
  leaf.reject('InvalidField', `${at}${field}`, message);
}
