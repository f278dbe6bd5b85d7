import type { PrometheusSpec } from '../../../../resources/prometheus.ts';
import type { CommonPrometheusSpec } from '../../../../resources/prometheus-fields.ts';
import { checkDuration, type Place } from '../../../../scrape/checks.ts';
import { checkCount, checkSize } from '../../../../scrape/sizes.ts';
import { externalLabels } from '../external-labels.ts';
import { globalLimit, globalSizeLimit } from '../limits.ts';
import { logPath } from '../log-files.ts';
import { protocolsSince, scrapeProtocols } from '../scrape-protocols.ts';
import { prometheus } from '../settings.ts';
import type { RootFields } from './sheets.ts';

/** What of a root stands in the configuration. The order is that of the lines in a section. */

type Part<Name extends keyof CommonPrometheusSpec> = Pick<RootFields<CommonPrometheusSpec>, Name>;

type Scraping = 'scrapeInterval' | 'scrapeProtocols' | 'scrapeTimeout';
type Naming = 'externalLabels' | 'prometheusExternalLabelName' | 'replicaExternalLabelName';

export const scrapeFields: Part<Naming | Scraping> = {
  scrapeInterval: { global: { as: 'scrape_interval', made: (own) => own || '30s' } },
  scrapeTimeout: { global: { as: 'scrape_timeout' } },
  scrapeProtocols: { global: { as: 'scrape_protocols', since: prometheus(protocolsSince), of: scrapeProtocols } },
  externalLabels: {
    global: {
      as: 'external_labels',
      keepsAll: true,
      made: (_, { root, leaf }, { spec }) => externalLabels({ root, spec }, leaf),
    },
  },
  prometheusExternalLabelName: 'elsewhere',
  replicaExternalLabelName: 'elsewhere',
};

type Limited =
  | 'bodySizeLimit'
  | 'keepDroppedTargets'
  | 'labelLimit'
  | 'labelNameLengthLimit'
  | 'labelValueLengthLimit'
  | 'sampleLimit'
  | 'targetLimit';

export const limitedFields: Part<Limited> = {
  bodySizeLimit: { global: globalSizeLimit },
  sampleLimit: { global: globalLimit('sampleLimit') },
  targetLimit: { global: globalLimit('targetLimit') },
  labelLimit: { global: globalLimit('labelLimit') },
  labelNameLengthLimit: { global: globalLimit('labelNameLengthLimit') },
  labelValueLengthLimit: { global: globalLimit('labelValueLengthLimit') },
  keepDroppedTargets: { global: globalLimit('keepDroppedTargets') },
};

type Enforced =
  | 'enforcedBodySizeLimit'
  | 'enforcedKeepDroppedTargets'
  | 'enforcedLabelLimit'
  | 'enforcedLabelNameLengthLimit'
  | 'enforcedLabelValueLengthLimit'
  | 'enforcedSampleLimit'
  | 'enforcedTargetLimit';

export const enforcedFields: Part<Enforced> = {
  enforcedSampleLimit: { enforced: { as: 'sampleLimit', check: checkCount } },
  enforcedTargetLimit: { enforced: { as: 'targetLimit', check: checkCount } },
  enforcedLabelLimit: { enforced: { as: 'labelLimit', check: checkCount } },
  enforcedLabelNameLengthLimit: { enforced: { as: 'labelNameLengthLimit', check: checkCount } },
  enforcedLabelValueLengthLimit: { enforced: { as: 'labelValueLengthLimit', check: checkCount } },
  enforcedKeepDroppedTargets: { enforced: { as: 'keepDroppedTargets', check: checkCount } },
  enforcedBodySizeLimit: { enforced: { as: 'bodySizeLimit', check: checkSize } },
};

type Format =
  | 'convertClassicHistogramsToNHCB'
  | 'nameEscapingScheme'
  | 'nameValidationScheme'
  | 'scrapeClassicHistograms'
  | 'scrapeFailureLogFile'
  | 'scrapeNativeHistograms';

export const formatFields: Part<Format> = {
  scrapeFailureLogFile: { global: { as: 'scrape_failure_log_file', since: prometheus('2.55'), of: logPath } },
  nameValidationScheme: {
    global: {
      as: 'metric_name_validation_scheme',
      since: prometheus('3.0'),
      check: oneOf('UTF8', 'Legacy'),
      of: (scheme) => scheme.toLowerCase(),
    },
  },
  nameEscapingScheme: {
    global: {
      as: 'metric_name_escaping_scheme',
      since: prometheus('3.4'),
      check: oneOf('AllowUTF8', 'Underscores', 'Dots', 'Values'),
      of: (scheme) => (scheme === 'AllowUTF8' ? 'allow-utf-8' : scheme.toLowerCase()),
    },
  },
  convertClassicHistogramsToNHCB: {
    global: { as: 'convert_classic_histograms_to_nhcb', since: prometheus('3.4'), keepsAll: true },
  },
  scrapeClassicHistograms: {
    global: { as: 'always_scrape_classic_histograms', since: prometheus('3.5'), keepsAll: true },
  },
  scrapeNativeHistograms: { global: { as: 'scrape_native_histograms', since: prometheus('3.8'), keepsAll: true } },
};

function oneOf(...known: readonly string[]): (value: string, place: Place) => void {
  return (value, { leaf, at }) => {
    if (value !== '' && !known.includes(value))
      leaf.reject('InvalidField', at, `"${value}" is none of ${known.join(', ')}`);
  };
}

type Evaluating = 'evaluationInterval' | 'exemplars' | 'queryLogFile' | 'ruleQueryOffset';

export const evaluationFields: Pick<RootFields<PrometheusSpec>, Evaluating> = {
  evaluationInterval: {
    global: { as: 'evaluation_interval', check: checkDuration, made: (own) => own || '30s' },
  },
  ruleQueryOffset: { global: { as: 'rule_query_offset', since: prometheus('2.53'), check: checkDuration } },
  queryLogFile: { global: { as: 'query_log_file', of: logPath } },
  exemplars: { members: { maxSize: { exemplars: { as: 'max_exemplars' } } } },
};

/** An agent takes late samples only later than a server does. */
export function tsdbFields(windowSince: string): Exclude<RootFields<CommonPrometheusSpec>['tsdb'], string> {
  return {
    members: {
      outOfOrderTimeWindow: {
        tsdb: { as: 'out_of_order_time_window', since: prometheus(windowSince), check: checkDuration },
      },
      chunkEncoding: 'no effect',
      staleSeriesCompactionThreshold: 'no effect',
    },
  };
}
