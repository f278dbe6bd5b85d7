/** What upstream's scheduler wrote down of its points, where its log has everything: pure. */

/** Plugin → node → points, with the plugin's weight. */
export type Points = ReadonlyMap<string, ReadonlyMap<string, number>>;

const said = /"Plugin scored node for pod" pod="([^"]+)" plugin="([^"]+)" node="([^"]+)" score=(-?\d+)/g;

/** For one pod (`default/a`); empty where it never had to compare nodes. */
export function pointsOf(log: string, pod: string): Points {
  const points = new Map<string, Map<string, number>>();
  for (const [, who, plugin = '', node = '', score] of log.matchAll(said)) {
    if (who !== pod) continue;
    const byNode = points.get(plugin) ?? new Map<string, number>();
    points.set(plugin, byNode.set(node, Number(score)));
  }
  return points;
}

/** One line for each plugin that tells nodes apart: what every node gets decides nothing. */
export function telling(points: Points): readonly string[] {
  return [...points].flatMap(([plugin, byNode]) => {
    const least = Math.min(...byNode.values());
    const above = [...byNode].map(([node, score]) => `${node} ${score - least}`).sort();
    return new Set(byNode.values()).size > 1 ? [`${plugin}: ${above.join(', ')}`] : [];
  });
}
