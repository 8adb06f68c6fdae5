package dev.wheelhouse.spring;

import java.io.InputStream;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.logging.logback.ColorConverter;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.LoggingEvent;

/** The lines of the service's log. */
class LogPatternTest {
    private static String pattern() throws Exception {
        try (InputStream in = Objects.requireNonNull(
                LogPatternTest.class.getResourceAsStream("/dev/wheelhouse/spring/service.yaml"))) {
            Map<String, Map<String, Map<String, String>>> options = new Yaml().load(in);
            return Objects.requireNonNull(options.get("logging")).get("pattern").get("console");
        }
    }

    private static String line(String message) throws Exception {
        return line("dev.wheelhouse.X", message);
    }

    private static String line(String logger, String message) throws Exception {
        LoggerContext context = new LoggerContext();
        PatternLayout layout = new PatternLayout();
        layout.getInstanceConverterMap().put("clr", ColorConverter::new);
        layout.setContext(context);
        layout.setPattern(pattern());
        layout.start();
        return layout.doLayout(
                new LoggingEvent("", context.getLogger(logger), Level.WARN, message, null, null));
    }

    @Test
    void theTextOfAnObjectCannotForgeALine() throws Exception {
        String line = line("the pod a\n12:00:00.000 ERROR X: forged\r\u001b[31m\u2028\u202e is ignored");
        assertThat(line).endsWith("X: the pod a 12:00:00.000 ERROR X: forged  [31m   is ignored\n");
    }

    @ParameterizedTest
    @CsvSource({"dev.wheelhouse.scheduler.WriterLoop, scheduler", "dev.wheelhouse.node.StatusManager, kubelet",
            "dev.wheelhouse.podconfig.Mux, kubelet", "dev.wheelhouse.apiserver.rest.Verbs, apiserver",
            "dev.wheelhouse.controllers.job.JobController, controllers", "dev.wheelhouse.decisions, decisions",
            "dev.wheelhouse.spring.ServiceLifecycle, service", "org.example.node.MyReconciler, MyReconciler",
            "MyReconciler, MyReconciler"})
    void aLineNamesTheComponent(String logger, String component) throws Exception {
        assertThat(line(logger, "it runs")).endsWith(" WARN  " + component + ": it runs\n");
    }

    @Test
    void theFramesOfAStackKeepTheirLines() throws Exception {
        assertThat(line("it stands still:\n\tat a.B.c\n\tat a.D.e")).endsWith(
                "it stands still:\n\tat a.B.c\n\tat a.D.e\n");
    }
}
