import type { LiveNode } from '@signalbox/telemetry';
import type { Colors } from '../io/io.ts';

/** How many pods of one workload are drawn; the others are counted. `-o json` has them all. */
const podsShownMax = 10;

/** Trees as people read them: a mark, the object, remarks; what is wrong stands under its object. Pure. */
export function formatLiveTrees(nodes: readonly LiveNode[], colors: Colors): string {
  return nodes.map((node) => `${treeLines(node, colors).join('\n')}\n`).join('\n');
}

function treeLines(node: LiveNode, colors: Colors): readonly string[] {
  const children = shown(node.children);
  const lines = [headLine(node, colors)];
  const stem = children.length > 0 ? '│ ' : '  ';
  for (const problem of problemsOf(node)) lines.push(`${colors.dim(stem)}${colors.yellow(problem)}`);
  children.forEach((child, index) => {
    const isLast = index === children.length - 1;
    const inner = typeof child === 'string' ? [colors.dim(child)] : treeLines(child, colors);
    inner.forEach((line, depth) => {
      const branch = isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
      lines.push(`${colors.dim(depth === 0 ? (branch[0] ?? '') : (branch[1] ?? ''))}${line}`);
    });
  });
  return lines;
}

/** Of their many conditions mark, remarks and problems say enough. */
const saysEnough: ReadonlySet<string> = new Set(['Pod', 'HorizontalPodAutoscaler']);

function headLine({ kind, namespace, name, state, notes, conditions }: LiveNode, colors: Colors): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const told = saysEnough.has(kind) ? [] : conditions.map(({ type, status }) => conditionText(type, status, colors));
  const remarks = [...notes, ...told];
  return `${mark(state, colors)}${kind} ${colors.bold(place)}${remarks.length === 0 ? '' : ` ${colors.dim('·')} ${remarks.join(', ')}`}`;
}

function conditionText(type: string, status: string, colors: Colors): string {
  return status === 'True' ? `${colors.green('✓')} ${type}` : `${colors.red('✗')} ${type}`;
}

function mark(state: LiveNode['state'], colors: Colors): string {
  switch (state) {
    case 'ready':
      return `${colors.green('✓')} `;
    case 'waiting':
      return `${colors.yellow('…')} `;
    case 'failed':
      return `${colors.red('✗')} `;
    case 'unknown':
      return '';
    default:
      return state satisfies never;
  }
}

function problemsOf({ kind, problems, conditions }: LiveNode): readonly string[] {
  if (saysEnough.has(kind)) return problems;
  const untrue = conditions
    .filter(({ status }) => status !== 'True')
    .map(({ type, reason, message }) => `${type}: ${[reason, message].filter((part) => part !== '').join(': ')}`);
  return [...problems, ...untrue];
}

/** Pods that are not ready come first, since the ready ones look all alike. */
function shown(children: readonly LiveNode[]): readonly (LiveNode | string)[] {
  const pods = children.filter(({ kind }) => kind === 'Pod');
  if (pods.length <= podsShownMax) return children;
  const sorted = [...pods].sort((a, b) => Number(a.state === 'ready') - Number(b.state === 'ready'));
  const rest = sorted.slice(podsShownMax);
  const ready = rest.filter(({ state }) => state === 'ready').length;
  return [
    ...children.filter(({ kind }) => kind !== 'Pod'),
    ...sorted.slice(0, podsShownMax),
    `and ${rest.length} more pods, ${ready} of them ready`,
  ];
}
