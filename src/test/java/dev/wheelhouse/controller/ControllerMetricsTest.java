package dev.wheelhouse.controller;

import org.junit.jupiter.api.Test;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/** Metrics that upstream has too, as Prometheus reads them. */
class ControllerMetricsTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ControllerMetrics meters = new ControllerMetrics(registry);

    @Test
    void aCounterHasItsNameAndItsLabels() {
        Measure indexes = Measure.counter("job_controller_job_finished_indexes_total", "Indexes", "status",
                "backoffLimit");
        meters.record(indexes, 2, "failed", "perIndex");
        meters.record(indexes, 1, "failed", "perIndex");
        meters.record(indexes, 1, "failed", "global");
        assertThat(registry.scrape().lines()).containsExactly(
                "# HELP job_controller_job_finished_indexes_total Indexes",
                "# TYPE job_controller_job_finished_indexes_total counter",
                "job_controller_job_finished_indexes_total{backoffLimit=\"global\",status=\"failed\"} 1.0",
                "job_controller_job_finished_indexes_total{backoffLimit=\"perIndex\",status=\"failed\"} 3.0");
    }

    @Test
    void aHistogramHasBucketsThatDouble() {
        Measure skew = Measure.histogram("cronjob_controller_job_creation_skew_duration_seconds", "Delay", 1, 3);
        meters.record(skew, 2);
        meters.record(skew, 7);
        String name = "cronjob_controller_job_creation_skew_duration_seconds";
        assertThat(registry.scrape().lines()).contains("# TYPE " + name + " histogram",
                name + "_bucket{le=\"1.0\"} 0", name + "_bucket{le=\"2.0\"} 1", name + "_bucket{le=\"4.0\"} 1",
                name + "_bucket{le=\"+Inf\"} 2", name + "_count 2", name + "_sum 9.0")
                .filteredOn(line -> line.contains("_bucket")).hasSize(4);
    }

    @Test
    void aGaugeHasItsLastValueUntilItIsRemoved() {
        Measure desired = Measure.gauge("desired_replicas", "Replicas", "namespace", "hpa_name");
        meters.record(desired, 2, "default", "web");
        meters.record(desired, 3, "default", "web");
        meters.record(desired, 1, "default", "api");
        assertThat(registry.scrape().lines()).contains("desired_replicas{hpa_name=\"api\",namespace=\"default\"} 1.0",
                "desired_replicas{hpa_name=\"web\",namespace=\"default\"} 3.0");
        meters.remove(desired, "default", "web");
        assertThat(registry.scrape()).contains("api").doesNotContain("web");
        meters.record(desired, 4, "default", "web");
        assertThat(registry.scrape().lines())
                .contains("desired_replicas{hpa_name=\"web\",namespace=\"default\"} 4.0");
    }

    @Test
    void labelsThatObjectsChooseDoNotMakeSeriesWithoutEnd() {
        Measure others = Measure.counter("job_controller_jobs_by_external_controller_total", "Jobs",
                "controller_name");
        for (int i = 0; i < 3 * ControllerMetrics.MOST_SERIES; i++) {
            meters.record(others, 1, "example.com/" + i);
        }
        meters.record(others, 1, "example.com/0");
        assertThat(registry.scrape().lines().filter(line -> !line.startsWith("#")))
                .hasSize(ControllerMetrics.MOST_SERIES + 1)
                .contains("job_controller_jobs_by_external_controller_total{controller_name=\"(others)\"} "
                        + 2.0 * ControllerMetrics.MOST_SERIES,
                        "job_controller_jobs_by_external_controller_total{controller_name=\"example.com/0\"} 2.0");
    }
}
