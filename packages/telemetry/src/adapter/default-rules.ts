import { type MetricRule, rulesOf } from './rule.ts';

const prometheusPods = { selector: 'app.kubernetes.io/name=prometheus' };

/**
 * What there is without anybody's rules: how much each shard of an agent takes in and answers. vmagent and the Grafana Agent
 * count the same under other names; an autoscaler written for Prometheus follows them too. No text: every start would read it.
 */
const file = {
  rules: [
    {
      metric: 'prometheus_agent_samples_appended_total',
      rate: [
        'prometheus_agent_samples_appended_total',
        'vm_promscrape_scraped_samples_sum',
        'agent_wal_samples_appended_total',
      ],
      pods: { selector: 'app.kubernetes.io/name in (prometheus-agent, grafana-agent)' },
    },
    {
      metric: 'prometheus_tsdb_head_samples_appended_total',
      rate: 'prometheus_tsdb_head_samples_appended_total',
      pods: prometheusPods,
    },
    {
      metric: 'prometheus_engine_query_samples_total',
      rate: 'prometheus_engine_query_samples_total',
      pods: prometheusPods,
    },
  ],
};

export const defaultRules: readonly MetricRule[] = rulesOf(file, 'default rules');
