import type { LogMetric, PipelineStage } from '../../resources/pod-logs.ts';
import { checkFilled, checkGoDuration, checkLabelNames, checkRegex, type Place } from '../checks.ts';

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
    if (Object.keys(json?.expressions ?? {}).length === 0) reject(place, '.expressions', 'must not be empty');
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
      checkMetric(metric, { ...place, at: `${place.at}.${name}` });
  },
  multiline({ multiline }, { leaf, at }) {
    checkFilled(multiline?.firstLine, { leaf, at: `${at}.firstLine` });
    checkRegex(multiline?.firstLine, { leaf, at: `${at}.firstLine` });
    checkGoDuration(multiline?.maxWaitTime, { leaf, at: `${at}.maxWaitTime` });
  },
  output: ({ output }, { leaf, at }) => checkFilled(output?.source, { leaf, at: `${at}.source` }),
  regex({ regex }, { leaf, at }) {
    checkFilled(regex?.expression, { leaf, at: `${at}.expression` });
    checkRegex(regex?.expression, { leaf, at: `${at}.expression` });
  },
  replace({ replace }, { leaf, at }) {
    checkFilled(replace?.expression, { leaf, at: `${at}.expression` });
    checkRegex(replace?.expression, { leaf, at: `${at}.expression` });
  },
  template: ({ template }, { leaf, at }) => checkFilled(template?.source, { leaf, at: `${at}.source` }),
  tenant({ tenant }, place) {
    const ways = [tenant?.label, tenant?.source, tenant?.value].filter((way) => way !== undefined && way !== '');
    if (ways.length !== 1) reject(place, '', 'needs exactly one of label, source and value');
  },
  timestamp({ timestamp }, { leaf, at }) {
    checkFilled(timestamp?.source, { leaf, at: `${at}.source` });
    checkFilled(timestamp?.format, { leaf, at: `${at}.format` });
    checkOneOf(timestamp?.actionOnFailure, ['fudge', 'skip'], { leaf, at: `${at}.actionOnFailure` });
  },
};

function checkDrop({ drop }: PipelineStage, place: Place): void {
  const { leaf, at } = place;
  checkRegex(drop?.expression, { leaf, at: `${at}.expression` });
  checkGoDuration(drop?.olderThan, { leaf, at: `${at}.olderThan` });
  if (drop?.expression && drop.value) reject(place, '', 'takes expression or value, not both');
  if (!drop?.source && !drop?.expression && !drop?.olderThan && !drop?.longerThan)
    reject(place, '', 'needs at least one of source, expression, olderThan and longerThan');
}

function checkMatch({ match }: PipelineStage, place: Place): void {
  const { leaf, at } = place;
  const { selector, stages = '', action = '' } = match ?? { selector: '' };
  checkFilled(selector, { leaf, at: `${at}.selector` });
  checkOneOf(action, ['drop', 'keep'], { leaf, at: `${at}.action` });
  if (action === 'drop' && stages !== '') reject(place, '.stages', 'has no effect on lines that are dropped');
  if (action !== 'drop' && stages === '') reject(place, '.stages', 'needs at least one stage');
}

const actions: Readonly<Record<string, readonly string[]>> = {
  counter: ['add', 'inc'],
  gauge: ['add', 'dec', 'inc', 'set', 'sub'],
};

function checkMetric({ type, action, maxIdleDuration }: LogMetric, { leaf, at }: Place): void {
  const known = actions[type.toLowerCase()];
  if (known !== undefined) {
    checkFilled(action, { leaf, at: `${at}.action` });
    checkOneOf(action.toLowerCase(), known, { leaf, at: `${at}.action` });
  }
  checkGoDuration(maxIdleDuration, { leaf, at: `${at}.maxIdleDuration` });
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
