/** What `node` and `up --real` take of a real node. */
import { isIP } from 'node:net';
import { parseLabelSelector } from '@signalbox/cluster';
import { InvalidArgumentError, Option } from 'commander';
import { isNodeName, type NodeTaint, type NodeTerms, parseTaint } from '../io/node-terms.ts';
import { parseAdvertised } from '../up/reach.ts';

/** The names of flags that say something else with `up` begin with `node` there. */
export interface NodeFlags {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly NodeTaint[];
  readonly maxPods?: number;
  readonly image?: readonly string[];
  readonly imagesFile?: string;
  readonly images?: string;
  readonly egress?: readonly string[];
  readonly hostPath?: readonly string[];
  readonly staticPods?: string;
}

const podsMaxUsual = 110;

export function nodeOptions(prefix: '' | 'node-'): readonly Option[] {
  return [
    new Option(`--${prefix}name <name>`, 'what the node is called (default: the machine’s name)').argParser(parseName),
    new Option(`--${prefix}labels <list>`, 'labels of the node, such as disk=ssd,zone=a').argParser(parseLabels),
    new Option(`--${prefix}taints <list>`, 'taints of the node, such as real=true:NoSchedule').argParser(parseTaints),
    new Option('--max-pods <n>', `how many pods it takes (default: ${podsMaxUsual})`).argParser(parsePodsMax),
    new Option(
      '--image <pattern=program>',
      'what runs for images of that name: a program on PATH or an absolute path; may be repeated',
    ).argParser(addRule),
    new Option('--images-file <file>', 'more of them, one a line'),
    new Option(
      '--images <dir>',
      'a folder of OCI layouts and saved images, which run with a root of their own; it has to be there',
    ),
    new Option(
      '--egress <host[:port]>',
      'what pods may reach outside of the cluster, by TCP; may be repeated (default: nothing)',
    ).argParser(addEgress),
    new Option(
      '--host-path <path>',
      'a real folder or file that pods may mount by hostPath; may be repeated (default: none)',
    ).argParser(addPath),
    new Option(
      '--static-pods <dir>',
      'a folder of manifests of pods that this node runs by itself; it has to be there',
    ),
  ];
}

export function toNodeTerms(flags: NodeFlags): NodeTerms {
  const { name, labels = {}, taints = [], maxPods = podsMaxUsual, image = [], imagesFile, images } = flags;
  const { egress = [], hostPath = [], staticPods } = flags;
  return {
    ...{ name, labels, taints, podsMax: maxPods, images: image, imagesFile },
    ...{ imagesFolder: images, egress, hostPaths: hostPath, staticPods },
  };
}

function parseName(text: string): string {
  if (!isNodeName(text))
    throw new InvalidArgumentError('It must be small letters, digits, dots and hyphens, e.g. box-1.');
  return text;
}

/** `team=a,env=prod` */
export function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair): readonly [string, string] => {
    const at = pair.indexOf('=');
    if (at <= 0 || !isSelector(`${pair.slice(0, at)} in (${pair.slice(at + 1)})`))
      throw new InvalidArgumentError(`"${pair}" is no label such as team=a.`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

export function isSelector(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
}

function parseTaints(text: string): readonly NodeTaint[] {
  return text.split(',').map((each) => {
    const taint = parseTaint(each);
    if (taint === undefined)
      throw new InvalidArgumentError(
        `"${each}" is no taint such as real=true:NoSchedule (or PreferNoSchedule, NoExecute).`,
      );
    return taint;
  });
}

const podsMaxMost = 1_000;

function parsePodsMax(text: string): number {
  const max = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (max < 1 || max > podsMaxMost)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${podsMaxMost}, e.g. 50.`);
  return max;
}

function addRule(text: string, rules: readonly string[] = []): readonly string[] {
  if (!/^[^=\s]+=\S+$/.test(text))
    throw new InvalidArgumentError('It must be a pattern and a program, e.g. grafana/agent=/opt/bin/grafana-agent.');
  return [...rules, text];
}

function addEgress(text: string, places: readonly string[] = []): readonly string[] {
  const place = parseAdvertised(text);
  // Pods are told of it by its name, and its address is nobody's business but the agent's.
  if (place === undefined || isIP(place.host) !== 0)
    throw new InvalidArgumentError('It must be a name, perhaps with a port, e.g. example.com:443.');
  return [...places, text];
}

function addPath(text: string, paths: readonly string[] = []): readonly string[] {
  if (!text.startsWith('/')) throw new InvalidArgumentError('It must be an absolute path, e.g. /var/log.');
  return [...paths, text];
}
