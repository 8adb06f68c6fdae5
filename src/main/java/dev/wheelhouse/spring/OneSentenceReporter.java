package dev.wheelhouse.spring;

import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Reports a failed start as one sentence on standard error, where the log of Spring Boot's own report, a page of
 * text, is off. The defaults of a {@link StandaloneService} turn it off.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class OneSentenceReporter implements FailureAnalysisReporter {
    static final String PREFIX = "wheelhouse: cannot start: ";
    private static final String SPRING_BOOTS_REPORT = "org.springframework.boot.diagnostics"
            + ".LoggingFailureAnalysisReporter";

    @Override
    public void report(FailureAnalysis analysis) {
        if (LoggerFactory.getLogger(SPRING_BOOTS_REPORT).isErrorEnabled()) {
            return;
        }
        String action = analysis.getAction() == null ? "" : " " + oneLine(analysis.getAction());
        System.err.println((PREFIX + oneLine(analysis.getDescription()) + action).strip());
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
